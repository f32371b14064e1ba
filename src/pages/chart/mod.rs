//! Charts as inline SVG: bars, columns, a line. Each has words that say the same, and tables with
//! its figures, for readers who do not see it; widths are attributes, since the pages' policy
//! forbids inline styles.

mod bar;
mod trend;
mod years;

pub use bar::{BarFragment, LegendFragment, Votes, figure};
pub use trend::TrendFragment;
pub use years::YearsFragment;
