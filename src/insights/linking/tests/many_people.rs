//! A roster of many who share first names.

use super::*;

#[test]
fn forty_people_who_share_first_names_are_never_mistaken_for_one_another() {
    let firsts = [
        "Jesse", "Will", "Maria", "Kevin", "Brian", "Carlos", "Danielle", "Grant",
    ];
    let surnames = ["Abbott", "Lindqvist", "Okafor", "Tsosie", "Zielinski"];
    let all: Vec<String> = firsts
        .iter()
        .flat_map(|first| surnames.map(|surname| format!("{first} {surname}")))
        .collect();
    let technicians = all
        .iter()
        .map(|name| technician(name, &[]))
        .collect::<Vec<_>>();
    let names = Linker::new(&Business {
        technicians,
        ..Business::default()
    });
    for name in &all {
        let (first, surname) = name.split_once(' ').unwrap();
        let initial = &surname[..1];
        let links = |text: &str, recorded: &Mentions| {
            let mentions = names.mentions(&Text::new(text), "Ann B.", recorded);
            mentions
                .iter()
                .map(|mention| mention.link().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let (sure, none) = (vec![Some(name.clone())], Mentions::default());
        assert_eq!(
            links(&format!("{first} was great."), &none),
            [None],
            "{name}"
        );
        assert_eq!(
            links(&format!("{first} was great."), &recorded(&[name])),
            sure
        );
        assert_eq!(links(&format!("{first} {surname} was great."), &none), sure);
        assert_eq!(
            links(&format!("Thanks to {first} {initial}. for this."), &none),
            sure
        );
        assert_eq!(
            links(&format!("{} came.", name.to_uppercase()), &none),
            sure
        );
        assert_eq!(
            links(&format!("Ask for {surname}."), &none),
            [None],
            "{name}"
        );
        assert_eq!(
            links(&format!("My neighbor {first} told me."), &recorded(&[name])),
            [] as [Option<String>; 0]
        );
    }
}
