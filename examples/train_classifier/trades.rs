//! The trades with a classifier, and its aspects in the order of its weights.

/// The IDs of the trades.
pub const IDS: [&str; 3] = ["home_services", "food", "general"];

/// The aspects of a trade; none for an unknown one.
pub fn aspects(trade: &str) -> &'static [&'static str] {
    match trade {
        "home_services" => &[
            "punctuality",
            "scheduling",
            "response_time",
            "communication",
            "professionalism",
            "workmanship",
            "price",
            "honesty",
            "cleanliness",
            "warranty",
            "overall",
        ],
        "food" => &[
            "food",
            "waiting",
            "professionalism",
            "communication",
            "order_accuracy",
            "price",
            "cleanliness",
            "atmosphere",
            "honesty",
            "overall",
        ],
        "general" => &[
            "punctuality",
            "communication",
            "professionalism",
            "honesty",
            "price",
            "cleanliness",
            "overall",
        ],
        _ => &[],
    }
}
