//! Turns the rows of files into [`collector::Incoming`] reviews, by the [`Format`](super::platforms::Format) of each file. First everything is decided
//! about the columns of all tables; if something is open, or does not fit, no row is read.

use crate::imports::map::collector::{Collected, Collector};
use crate::imports::map::columns::Columns;
use crate::imports::map::date::{DateColumns, DateOrder, FileQuestions};
use crate::imports::map::decide::decide;
use crate::imports::map::native::{changed_date, read_native};
use crate::imports::map::questions::{Question, ShownTables, Undecided};
use crate::imports::map::row::RowReader;
use crate::imports::map::values::header_key;
use crate::imports::platforms::Reader;
use crate::imports::read::{InputFile, Rows, keep_encoding};
use crate::imports::report::{FileError, ImportError};
use crate::imports::table::{is_date, list_columns};
use crate::owner::fault::{FieldError, listed};

pub(crate) mod collector;
pub(crate) mod columns;
pub(crate) mod date;
pub(crate) mod decide;
pub(crate) mod fields;
mod native;
pub(crate) mod questions;
pub(crate) mod row;
pub(crate) mod values;

/// The reviews in all files; `merged` is the memory that the merge will keep of each.
///
/// # Errors
/// When a file cannot be imported, or something must be decided about its columns.
pub fn map(
    files: &[InputFile],
    mut collector: Collector<'_>,
    merged: usize,
) -> Result<Collected, ImportError> {
    let tables = collector.limits.bytes_taken();
    read_all(files, &mut collector)?;
    let collected = collector.finish(tables, merged);
    collected.map_err(|fault| ImportError::Refused(format!("import: {fault}")))
}

/// Passes the reviews of all files to the collector.
fn read_all(files: &[InputFile], collector: &mut Collector<'_>) -> Result<(), ImportError> {
    let date_format = collector.request.date_format.as_deref();
    let date_format = date_format.map(date::strftime).transpose();
    let date_format = date_format.map_err(|fault| ImportError::Refused(fault.to_string()))?;
    let (mut decided, mut faults) = (Vec::new(), Vec::new());
    let mut questions: Vec<Vec<Question>> = Vec::new();
    let unknown = unknown_columns(files, collector);
    for file in files {
        match decide_columns(file, date_format.as_deref(), collector) {
            Ok(Some((columns, asked))) => {
                decided.push((file, Some(columns)));
                questions.push(asked);
            }
            Ok(None) => {
                decided.push((file, None));
                questions.push(Vec::new());
            }
            Err(fault) => faults.push(format!("{}: {fault}", file.name)),
        }
    }
    drop_gone_elsewhere(files, &mut questions);
    if faults.is_empty() {
        faults = unknown;
    }
    if faults.is_empty() {
        match decide_orders(&mut decided, collector) {
            Ok(unclear) => {
                for (file, question) in unclear {
                    questions[file].push(question);
                }
            }
            Err(wrong) => faults.extend(wrong.iter().map(ToString::to_string)),
        }
    }
    refuse(faults)?;
    let mut undecided = Undecided::default();
    for ((file, columns), questions) in decided.iter().zip(questions) {
        if let Some(columns) = columns.as_ref().filter(|_| !questions.is_empty()) {
            columns.show(&file.name, &questions, &mut undecided.tables);
            if !undecided.sources.iter().any(|it| it == columns.source()) {
                undecided.sources.push(columns.source().to_owned());
            }
            questions
                .into_iter()
                .for_each(|question| undecided.add_question(question));
        }
    }
    if !undecided.questions.is_empty() {
        return Err(ImportError::Undecided(Box::new(undecided)));
    }
    let counts = files.iter().map(|file| match &file.rows {
        Rows::Table(table) => table.rows.len(),
        Rows::Records(rows) => rows.len(),
    });
    collector.expect_rows(counts.sum());
    let mut faults = Vec::new();
    for (file, columns) in decided {
        let begun = collector.begin(file.name.clone(), file.format);
        if let Some(note) = &file.note {
            collector.note(note.clone());
        }
        let read = begun.and_then(|()| match columns {
            Some(columns) => read_table(&file.name, columns, collector),
            None => read_native(file, date_format.as_deref(), collector),
        });
        if let Err(fault) = read {
            faults.push(format!("{}: {fault}", file.name));
        }
    }
    refuse(faults)
}

fn refuse(faults: Vec<String>) -> Result<(), ImportError> {
    if faults.is_empty() {
        return Ok(());
    }
    let faults = listed(faults.into_iter(), "files cannot be imported");
    Err(ImportError::Refused(faults))
}

/// A column that another file of the call has is not gone from the source.
fn drop_gone_elsewhere(files: &[InputFile], questions: &mut [Vec<Question>]) {
    let is_there = |header: &String| {
        files.iter().any(|file| match &file.rows {
            Rows::Table(table) => table.find(header).is_some(),
            Rows::Records(_) => false,
        })
    };
    for asked in questions {
        asked.retain(|it| !it.is_about_gone() || !it.gone.iter().any(is_there));
    }
}

/// That an option names a column that no table has.
fn unknown_columns(files: &[InputFile], collector: &Collector<'_>) -> Vec<String> {
    let choices = &collector.request.columns;
    let tables = files.iter().filter_map(|file| match &file.rows {
        Rows::Table(table) if !file.format.is_native() => Some((file, &table.columns)),
        Rows::Table(_) | Rows::Records(_) => None,
    });
    let mut unknown: Option<Vec<(&'static str, String)>> = None;
    for (file, columns) in tables.clone() {
        let mut missing = choices.unknown(columns);
        // A column that is gone may be ignored.
        let source = collector.request.source_of(file.format);
        missing.retain(|(_, name)| {
            let mut kept = collector.collected.columns.of(source);
            !kept.any(|row| header_key(&row.header) == header_key(name))
        });
        match &mut unknown {
            None => unknown = Some(missing),
            Some(unknown) => unknown.retain(|it| missing.contains(it)),
        }
    }
    let Some((first, columns)) = tables.clone().next() else {
        return Vec::new();
    };
    let (name, shown) = (&first.name, list_columns(columns));
    let unknown = unknown.into_iter().flatten().map(|(option, column)| {
        format!(
            "no file has a column {column}, which {option} names; {name} has the columns {shown}"
        )
    });
    unknown.collect()
}

/// The columns of a file and what is not decided about them, if it is a table that is no export of ours.
fn decide_columns<'f, 'r: 'f>(
    file: &'f InputFile,
    date_format: Option<&'f str>,
    collector: &mut Collector<'r>,
) -> Result<Option<(Columns<'f>, Vec<Question>)>, FileError> {
    let (format, request) = (file.format, collector.request);
    let mut maps = request.columns.maps.iter();
    // `--map location=` ignores a member of native records, too.
    if !format.has_renames() && maps.any(|map| !(format.is_native() && map.column.is_empty())) {
        let name = format.name;
        return Err(FileError::new(format!(
            "is in the format {name}, whose field names are fixed; leave --map out"
        )));
    }
    let is_ours = format.is_native() || matches!(file.rows, Rows::Records(_));
    // What a platform's API writes has one form; a table may have been edited.
    let is_api = format.reader == Reader::Columns
        && request.columns.maps.is_empty()
        && matches!(&file.rows, Rows::Table(table) if table.is_objects());
    let flags = [
        ("--scale", request.scale.is_some() && (is_ours || is_api)),
        ("--no-text", request.no_text && (is_ours || is_api)),
    ];
    let flags = flags
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name));
    let public = request.columns.public_texts().map(String::as_str);
    let mut options = public.filter(|_| is_ours).chain(flags);
    if let Some(option) = options.next() {
        return Err(FileError::new(format!(
            "is in the format {}, whose members are known ({option}); leave that out, or pass --format table",
            format.name
        )));
    }
    match &file.rows {
        Rows::Table(table) if format.is_native() => match changed_date(table) {
            Some(fault) if date_format.is_none() => Err(fault),
            _ => Ok(None),
        },
        _ if date_format.is_some() && (is_api || !format.has_date_forms()) => {
            Err(FileError::new(format!(
                "is in the format {}, whose dates have one form; leave --date-format out",
                format.name
            )))
        }
        Rows::Records(_) => Ok(None),
        Rows::Table(table) => {
            let (stored, kept) = (&collector.stored, &mut collector.collected.columns);
            let decided = decide(table, format, request, date_format, (stored, kept))?;
            *kept = decided.kept;
            if let Some(encoding) = file.encoding {
                keep_encoding(kept, decided.columns.source(), encoding);
            }
            Ok(Some((decided.columns, decided.questions)))
        }
    }
}

/// Decides the order of dates in each column of all tables, and keeps it for the next import. What nothing tells is asked, each by the
/// number of a file.
fn decide_orders(
    decided: &mut [(&InputFile, Option<Columns<'_>>)],
    collector: &mut Collector<'_>,
) -> Result<FileQuestions, Vec<FileError>> {
    let tomorrow = collector.collected.calendar.tomorrow();
    let country = collector.request.country();
    let kept = &mut collector.collected.columns;
    let mut dates = DateColumns::new();
    let tables = || {
        let tables = decided.iter().enumerate();
        tables.filter_map(|(number, (file, columns))| Some((number, file, columns.as_ref()?)))
    };
    for (number, file, columns) in tables() {
        for (column, _, key) in columns.date_columns() {
            let order = kept
                .at(&key.0, &key.1)
                .find_map(|it| it.date_order.as_deref());
            let order = order.and_then(DateOrder::find);
            let found = dates.entry(key).or_default();
            found.kept = order;
            found.usual = columns.format.date_order;
            for (row, cell) in columns.table.cells(column) {
                found.add(
                    number,
                    || format!("{}:{}", file.name, row.at),
                    cell,
                    tomorrow,
                );
            }
        }
    }
    let (orders, unclear) = match tables().find_map(|(.., columns)| columns.date_format) {
        Some(format) => (date::of_format(&dates, format), Vec::new()),
        None => date::decide(&dates, country)?,
    };
    for (_, columns) in decided {
        let Some(columns) = columns else {
            continue;
        };
        for (column, field, key) in columns.date_columns() {
            if dates.get(&key).is_some_and(|found| found.has_clear_months) {
                columns.with_clear_months.insert(column);
            }
            if let Some((order, sentence)) = orders.get(&key) {
                columns.orders[column] = Some(*order);
                if !columns.sentences.contains(sentence) {
                    columns.sentences.push(sentence.clone());
                }
                let row = kept.entry(&key.0, &key.1, field.label());
                row.date_order = Some(order.stored_name().to_owned());
            }
        }
    }
    Ok(unclear)
}

fn read_table(
    file: &str,
    mut columns: Columns<'_>,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let sentences = std::mem::take(&mut columns.sentences);
    if columns.is_previewed() {
        let mut tables = ShownTables {
            notes: sentences,
            ..ShownTables::default()
        };
        columns.show(file, &[], &mut tables);
        let others = &columns.table.other_sheets;
        if !others.is_empty() {
            let others = others.join(", ");
            tables
                .notes
                .push(format!("other sheets (--sheet): {others}"));
        }
        sink.show(&tables);
    } else {
        sentences
            .into_iter()
            .chain(columns.describe_members())
            .for_each(|it| sink.note(it));
    }
    if !columns.table.lists.is_empty() {
        let lists = columns.table.lists.join(", ");
        sink.note(format!("lists of objects, which are not read: {lists}"));
    }
    let report = &mut sink.collected.report;
    report.new_values.extend(columns.new_values());
    if !report
        .sources
        .iter()
        .any(|source| source == columns.source())
    {
        report.sources.push(columns.source().to_owned());
    }
    let mut first_fault = None;
    let rejected = sink.collected.report.rejected;
    let answered = columns
        .format
        .answered
        .and_then(|name| columns.table.find(name));
    for row in &columns.table.rows {
        let cell = answered.and_then(|column| row.cell(column));
        if cell.is_some_and(|id| !matches!(id.trim(), "" | "0")) {
            sink.collected.report.left_out += 1;
            continue;
        }
        let read = if let Some(fault) = &row.fault {
            Err(vec![FieldError::new("", &fault.message)])
        } else {
            RowReader::new(&columns, row, sink.collected.calendar).review()
        };
        if let Err(faults) = &read {
            first_fault.get_or_insert_with(|| format!("{}: {}", row.at, faults[0]));
        }
        sink.row(row.at.clone(), read, || columns.raw(row))?;
    }
    let rejected = sink.collected.report.rejected - rejected;
    if let Some(fault) = first_fault.filter(|_| rejected == columns.table.rows.len() as u64)
        && columns.format.is_table()
    {
        let table = columns.table;
        let unread =
            (0..table.columns.len()).filter(|column| !columns.used().any(|used| used == *column));
        let dated = unread.filter(|column| table.has_only(*column, is_date));
        let dated: Vec<&str> = dated.map(|column| table.columns[column].as_str()).collect();
        let hint = if dated.is_empty() {
            String::new()
        } else {
            format!("; there are dates in {}", dated.join(", "))
        };
        return Err(FileError::new(format!(
            "no row can be read ({fault}{hint}); if a column is read as the wrong field, name the right one with --map FIELD=COLUMN"
        )));
    }
    Ok(())
}
