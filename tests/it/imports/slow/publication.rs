//! What is public after any files: a review, its reply and its author's name as the last file said that has their columns, whether it has
//! their texts or not.

use std::collections::HashMap;

use reviews_service::imports::undo;

use super::*;
use crate::imports::tables::{cells, workbook_of_sheets};
use crate::support::Generator;
use crate::support::publication::{
    FORMAT, Layout, Model, OKENDO, OURS, OWN, STORED, Step, number_of,
};

#[derive(Debug, Clone, Copy)]
enum Kind {
    Csv,
    /// In one file or two.
    Json,
    Workbook,
}

fn write(bench: &Bench, step: &Step, kind: Kind, dice: &mut Generator) -> Vec<PathBuf> {
    match kind {
        Kind::Csv => vec![bench.file("t.csv", step.csv())],
        Kind::Json => {
            let objects = step.objects();
            let (first, second) = objects.split_at(1 + dice.below(objects.len()));
            let files = [("a.json", first), ("b.json", second)].into_iter();
            let files = files.filter(|(_, rows)| !rows.is_empty());
            files
                .map(|(name, rows)| bench.file(name, json!(rows).to_string()))
                .collect()
        }
        Kind::Workbook => {
            let table = step.cells();
            let rows: Vec<Vec<&str>> = table
                .iter()
                .map(|row| row.iter().map(String::as_str).collect())
                .collect();
            let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
            let sheets = [("Notes", "<sheetData/>"), ("Reviews", &cells(&rows))];
            vec![bench.file("t.xlsx", workbook_of_sheets(sheets))]
        }
    }
}

/// Imports a file, after what is open is answered.
async fn take(
    bench: &Bench,
    model: &mut Model,
    step: &Step,
    kind: Kind,
    dice: &mut Generator,
    is_first: bool,
    options: &str,
) {
    let mut request = request_for(write(bench, step, kind, dice), options);
    request.owner_format = is_first.then(|| Format::parse(FORMAT).unwrap());
    let open = model.open(step);
    if !open.is_empty() {
        let Err(ImportError::Open(draft)) = bench.run(&request).await.0 else {
            panic!("{open:?} should be open: {step:?}");
        };
        let mut keys = open.clone();
        keys.sort_unstable();
        assert_eq!(Vec::from_iter(draft.format.open.clone()), keys);
        let answers: Vec<bool> = open.iter().map(|_| dice.once_in(2)).collect();
        let mut text = draft.text("x");
        for is_public in &answers {
            let answer = format!(
                "missing = {:?}",
                ["hidden", "public"][usize::from(*is_public)]
            );
            text = text.replacen("missing = \"?\"", &answer, 1);
        }
        request.owner_format = Some(Format::parse(&text).unwrap());
        model.answer(step, &answers);
    }
    bench.run(&request).await.0.unwrap();
    model.take(step);
}

async fn follow(seed: u64, layout: Layout, kind: Kind) {
    let (mut dice, bench) = (Generator::new(seed), bench().await);
    let (mut model, mut befores) = (Model::new(layout), HashMap::<String, Model>::new());
    let mut history = format!("{kind:?} {seed} {}\n", layout.source);
    for number in 0..14 {
        let stored = bench.sql(STORED);
        if number > 0 && dice.once_in(5) {
            let undone = undo(&bench.database, &bench.clock, Some(layout.source), false).await;
            let Ok(undone) = undone else { continue };
            history += &format!("undo {}\n", undone.run.id);
            model.undo(&befores[&undone.run.id.to_string()]);
        } else if dice.once_in(6) && !stored.is_empty() {
            let ids = stored.lines().map(|row| row.split('|').next().unwrap());
            let ids: Vec<&str> = ids.collect();
            let id = dice.pick(&ids);
            history += &format!("reply {id}\n");
            bench.sql(&format!(
                "update review set reply_text = '{OURS}' where review_id = '{id}'"
            ));
            model.reply(number_of(id));
        } else {
            let step = Step::random(&mut dice, layout, number, matches!(kind, Kind::Json));
            history += &format!("{}\n", json!(step.objects()));
            let before = model.clone();
            let is_first =
                layout.source == OWN.source && bench.sql("select format from source").is_empty();
            take(
                &bench,
                &mut model,
                &step,
                kind,
                &mut dice,
                is_first,
                layout.options,
            )
            .await;
            befores.insert(bench.sql("select max(run_id) from import_run"), before);
        }
        let wrong = model.check(&bench.sql(STORED));
        assert_eq!(wrong, None, "{history}");
    }
}

async fn follow_histories(kind: Kind) {
    for seed in 0..rounds(10) as u64 {
        follow(seed, OWN, kind).await;
        follow(seed, OKENDO, kind).await;
    }
}

#[tokio::test]
async fn only_what_the_last_tables_publish_is_public() {
    follow_histories(Kind::Csv).await;
}

#[tokio::test]
async fn only_what_the_last_files_of_json_publish_is_public() {
    follow_histories(Kind::Json).await;
}

#[tokio::test]
async fn only_what_the_last_workbooks_publish_is_public() {
    follow_histories(Kind::Workbook).await;
}
