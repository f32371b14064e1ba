//! Passes the reviews in the rows of all files to the collector, once the order of dates in each column is decided.

use crate::imports::file_error::FileError;
use crate::imports::map::date::DateOrder;
use crate::imports::map::date_order::{self, DateColumn};
use crate::imports::map::fields::FieldError;
use crate::imports::map::plan::{DATES, Plan, tomorrow};
use crate::imports::map::row::PlannedRow;
use crate::imports::map::table::Table;
use crate::imports::merge::collector::Collector;
use crate::imports::read::open::Opener;
use crate::imports::read::records::{changed_date, read_native};
use crate::imports::read::rows::{Part, Rows};
use crate::storage::imports::ColumnMeaning;

/// A table with its plan, in a file.
struct PlannedTable<'f> {
    file: &'f str,
    table: &'f Table,
    plan: Plan<'f>,
}

impl Opener<'_> {
    /// Passes the reviews of all files to the collector; `country` is that of the business. Faults of whole files are
    /// recorded.
    pub fn read_all(&mut self, country: Option<&str>) {
        let request = self.collector.request;
        let files = std::mem::take(&mut self.files);
        let date_format = request.date_format.as_deref().map(date_order::strftime);
        let date_format = match date_format.transpose() {
            Ok(format) => format,
            Err(fault) => {
                self.faults.push(fault.to_string());
                return;
            }
        };
        let mut planned = Vec::new();
        for file in &files {
            for part in &file.parts {
                let has_no_forms = !part.format.has_date_forms();
                let fault = match &part.rows {
                    Rows::NativeTable(table) => date_format
                        .is_none()
                        .then(|| changed_date(table, tomorrow(self.collector.calendar())))
                        .flatten(),
                    Rows::Table(_)
                    | Rows::NativeLines(_)
                    | Rows::NativeDocument(..)
                    | Rows::NativeValues(_)
                        if date_format.is_some() && has_no_forms =>
                    {
                        let name = part.format.name;
                        Some(FileError::new(format!(
                            "is in the format {name}, whose dates have one form; leave --date-format out"
                        )))
                    }
                    Rows::NativeLines(_) | Rows::NativeDocument(..) | Rows::NativeValues(_) => None,
                    Rows::Table(table) => {
                        let plan = Plan::new(part.format, table, request, date_format.clone());
                        let fault = plan.complete(table).err();
                        if fault.is_some() && !table.is_objects() {
                            // The preview helps to correct it.
                            let begun = self.collector.begin(file.name.clone(), part.format);
                            if begun.is_ok() {
                                self.collector.table(&plan.columns(table));
                            }
                        } else {
                            let file = file.name.as_str();
                            planned.push(PlannedTable { file, table, plan });
                        }
                        fault
                    }
                };
                self.faults
                    .extend(fault.map(|fault| format!("{}: {fault}", file.name)));
            }
        }
        if let Err(faults) = self.decide_orders(&mut planned, country) {
            self.faults.extend(faults.iter().map(ToString::to_string));
        }
        if !self.faults.is_empty() {
            return;
        }
        let count = |part: &Part| match &part.rows {
            Rows::Table(table) | Rows::NativeTable(table) => table.rows.len(),
            Rows::NativeLines(text) => memchr::memchr_iter(b'\n', text).count() + 1,
            Rows::NativeDocument(text, _) => text.len() >> 8,
            Rows::NativeValues(values) => values.len(),
        };
        let all = files.iter().flat_map(|file| &file.parts).map(count).sum();
        self.collector.budget.expect_rows(all);
        let mut planned = planned.into_iter();
        for file in &files {
            let mut read = Ok(());
            for (number, part) in file.parts.iter().enumerate() {
                let plan = matches!(part.rows, Rows::Table(_))
                    .then(|| planned.next())
                    .flatten();
                read = read.and_then(|()| {
                    if number == 0 {
                        self.collector.begin(file.name.clone(), part.format)?;
                    }
                    self.collector.use_format(part.format)?;
                    if let Some(plan) = plan {
                        return read_table(&plan, &mut self.collector);
                    }
                    read_native(part, date_format.as_deref(), &mut self.collector)
                });
            }
            if let Err(fault) = read {
                self.faults.push(format!("{}: {fault}", file.name));
            }
        }
    }

    /// Decides the order of dates in each column of all tables, and keeps it for the next import.
    fn decide_orders(
        &mut self,
        planned: &mut [PlannedTable<'_>],
        country: Option<&str>,
    ) -> Result<(), Vec<FileError>> {
        let mut columns = Vec::new();
        for PlannedTable { file, table, plan } in &*planned {
            for column in date_columns(plan) {
                let (source, header) = (source_of(plan), table.columns[column].as_str());
                columns.push(DateColumn {
                    source,
                    column: header,
                    file,
                    kept: match self.collector.kept.get(source, header) {
                        Some(ColumnMeaning::DayFirst) => Some(DateOrder::DayFirst),
                        Some(ColumnMeaning::MonthFirst) => Some(DateOrder::MonthFirst),
                        Some(ColumnMeaning::Id | ColumnMeaning::RowNumber) | None => None,
                    },
                    usual: plan.usual_order(),
                    cells: table
                        .cells(column)
                        .map(|(row, cell)| (&row.at, cell))
                        .collect(),
                });
            }
        }
        let format = planned
            .iter()
            .find_map(|its| its.plan.date_format.as_deref());
        let decided = match format {
            Some(format) => date_order::of_format(&columns, format),
            None => date_order::decide(&columns, country, tomorrow(self.collector.calendar()))?,
        };
        for ((source, column), (order, _)) in &decided {
            let meaning = match order {
                DateOrder::DayFirst => ColumnMeaning::DayFirst,
                DateOrder::MonthFirst => ColumnMeaning::MonthFirst,
            };
            self.collector.keep(source, column, meaning);
        }
        for PlannedTable { table, plan, .. } in planned {
            let source = source_of(plan).to_owned();
            for column in date_columns(plan) {
                let key = (source.clone(), table.columns[column].clone());
                if let Some((order, sentence)) = decided.get(&key) {
                    plan.orders[column] = Some(*order);
                    plan.sentences.push(sentence.clone());
                }
            }
        }
        Ok(())
    }
}

/// The source under which the orders of dates are kept.
fn source_of<'p>(plan: &'p Plan<'_>) -> &'p str {
    plan.request.source.as_deref().unwrap_or(plan.format.source)
}

fn date_columns(plan: &Plan<'_>) -> Vec<usize> {
    let fields = DATES.iter().flat_map(|field| plan.field(*field));
    fields.copied().collect()
}

fn read_table(planned: &PlannedTable<'_>, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let PlannedTable { table, plan, .. } = planned;
    if table.is_objects() {
        plan.sentences
            .iter()
            .for_each(|sentence| sink.note(sentence.clone()));
    } else {
        let mut used = plan.columns(table);
        used.dates.clone_from(&plan.sentences);
        sink.table(&used);
    }
    let mut unverified: Option<(&str, u64)> = None;
    for row in &table.rows {
        sink.budget.note_row();
        let its = PlannedRow {
            plan,
            table,
            row,
            calendar: sink.calendar(),
        };
        if let Some(fault) = &row.fault {
            let raw = || fault.raw.clone().unwrap_or_else(|| its.raw());
            sink.reject(row.at.clone(), &raw, &[FieldError::new("", &fault.message)])?;
            continue;
        }
        if let Some(found) = its.scale_of_ten().filter(|_| !table.is_objects()) {
            return Err(FileError::new(format!(
                "line {}: a rating of {} means that the scale ends at 10; pass --scale 10, because 5 out of 10 would \
                 otherwise become five stars",
                row.at,
                found.trim()
            )));
        }
        if let Some(column) = its.unverified() {
            unverified.get_or_insert((column, 0)).1 += 1;
        }
        let raw = || its.raw();
        match its.comment() {
            Some(comment) => sink.comment(row.at.clone(), comment, &raw)?,
            None => sink.review(row.at.clone(), its.review(), &raw)?,
        }
    }
    if let Some((column, count)) = unverified {
        let rows = if count == 1 { "row is" } else { "rows are" };
        sink.note(format!(
            "{count} {rows} withheld because {column} says \"not verified\"; if it means something else, ignore it with \
             --map verified="
        ));
    }
    Ok(())
}
