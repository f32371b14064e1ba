-- The cache of the text analysis in the words of the code: `derived_index` is what every start loads (packed, counted),
-- `derived_analysis` the whole analysis with its reasons, for people. Views and their columns stay as they are.
alter table derived_note rename to derived_index;
alter table derived_reading rename to derived_analysis;
