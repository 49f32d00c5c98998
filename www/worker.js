import init, { start } from "./pkg/engine.js";
const early = [];
onmessage = ({ data }) => early.push(data); // nobody else listens until the module is there
await init();
start(early);
