import init from "./pkg/page.js";
await init();
