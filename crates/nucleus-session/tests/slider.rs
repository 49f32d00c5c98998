//! The sliders' scales and their inverses.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use nucleus_sampler::{RepetitionPenalty, Temperature, TopK, TopP};
use nucleus_session::slider::{
    REPETITION_PENALTY, TEMPERATURE, TOP_P, repetition_penalty_at, repetition_penalty_position, temperature_at,
    temperature_position, top_k_at, top_k_position, top_k_scale, top_p_at, top_p_position,
};

const VOCABULARIES: [usize; 6] = [1, 2, 16, 150, 4096, 50_257];

#[test]
fn every_hundredth_of_temperature_top_p_and_penalty_is_a_position() {
    for hundredth in 0..=200_i32 {
        let value = f64::from(hundredth) / 100.0;
        assert_eq!(temperature_at(value).get(), value);
        assert_eq!(temperature_position(Temperature::new(value).unwrap()), value);
        if (100..=200).contains(&hundredth) {
            assert_eq!(repetition_penalty_at(value).get(), value);
            assert_eq!(repetition_penalty_position(RepetitionPenalty::new(value).unwrap()), value);
        }
        if (1..=100).contains(&hundredth) {
            assert_eq!(top_p_at(value).get(), value);
            assert_eq!(top_p_position(TopP::new(value).unwrap()), value);
        }
    }
}

#[test]
fn positions_outside_and_positions_that_are_none_are_moved_in() {
    assert_eq!(temperature_at(-1.0).get(), TEMPERATURE.min);
    assert_eq!(temperature_at(7.0).get(), TEMPERATURE.max);
    assert_eq!(temperature_at(f64::NAN).get(), TEMPERATURE.min);
    assert_eq!(top_p_at(0.0).get(), TOP_P.min);
    assert_eq!(top_p_at(f64::INFINITY).get(), TOP_P.max);
    assert_eq!(temperature_position(Temperature::new(10.0).unwrap()), TEMPERATURE.max);
    assert_eq!(top_p_position(TopP::new(1e-8).unwrap()), TOP_P.min);
    assert_eq!(repetition_penalty_at(f64::NAN), RepetitionPenalty::OFF);
    assert_eq!(repetition_penalty_position(RepetitionPenalty::new(9.0).unwrap()), REPETITION_PENALTY.max);
    assert_eq!(top_k_at(f64::NAN, 100), TopK::OFF);
}

#[test]
fn top_k_goes_from_off_over_one_to_the_whole_vocabulary() {
    for n_vocab in VOCABULARIES {
        let max = top_k_scale(n_vocab).max;
        assert_eq!(top_k_at(0.0, n_vocab), TopK::OFF);
        assert_eq!(top_k_at(max, n_vocab).get() as usize, n_vocab);
        if n_vocab > 1 {
            assert_eq!(top_k_at(1.0, n_vocab).get(), 1);
        }
    }
}

#[test]
fn top_k_grows_with_every_position_and_every_position_comes_back() {
    for n_vocab in VOCABULARIES {
        let positions = top_k_scale(n_vocab).max as u32;
        let ks: Vec<u32> = (0..=positions).map(|p| top_k_at(f64::from(p), n_vocab).get()).collect();
        assert!(ks.windows(2).all(|pair| pair[0] < pair[1]), "{n_vocab}: {ks:?}");
        for (position, &k) in (0..).zip(&ks) {
            assert_eq!(top_k_position(TopK::from(k), n_vocab), f64::from(position), "{n_vocab}");
        }
    }
}

#[test]
fn the_upper_part_of_top_k_is_logarithmic() {
    let ks: Vec<f64> = (60..=100).map(|p| f64::from(top_k_at(f64::from(p), 50_257).get())).collect();
    let factor = (50_257_f64).powf(1.0 / 99.0);
    for pair in ks.windows(2) {
        assert!((pair[1] / pair[0] / factor - 1.0).abs() < 0.002, "{pair:?}");
    }
}

#[test]
fn a_typed_top_k_has_the_nearest_position() {
    for n_vocab in VOCABULARIES {
        let positions = top_k_scale(n_vocab).max as u32;
        for k in [1, 3, 40, 77, 1000, 5000, u32::MAX] {
            let at = |position: u32| top_k_at(f64::from(position), n_vocab).get();
            let distance = |position: u32| at(position).abs_diff(k.min(n_vocab as u32));
            let nearest = (1..=positions).map(distance).min().unwrap();
            let found = top_k_position(TopK::from(k), n_vocab) as u32;
            assert_eq!(distance(found), nearest, "k {k} of {n_vocab}");
        }
    }
}
