//! Which aspects a trade has, in which order, and in which roles.

use super::Reader;
use crate::insights::trades::Aspect;
use crate::insights::trades::head::{self, Head};
use crate::insights::trades::syntax::{find, string};

impl Reader<'_, '_> {
    /// The names of all `[[aspect]]`, in the order that the trade says.
    pub(super) fn aspects(&mut self) {
        for file in self.files {
            for (at, aspect) in self.each(file, "aspect") {
                let text = |key: &str| match find(aspect, key) {
                    Some(value) => string(value).map(str::to_owned),
                    None => Err((at, format!("an aspect needs `{key}`"))),
                };
                let id = match find(aspect, "id") {
                    Some(value) => head::id(value),
                    None => Err((at, "an aspect needs `id`".to_owned())),
                };
                let (id, label, question) = (
                    self.keep(file, id),
                    self.keep(file, text("label")),
                    self.keep(file, text("question")),
                );
                let Some(((id, label), question)) = id.zip(label).zip(question) else {
                    continue;
                };
                if self.trade.aspect(&id).is_some() {
                    let message = format!("there are two aspects `{id}`");
                    self.faults.push(file.fault((at, message)));
                    continue;
                }
                self.trade.aspects.push(Aspect {
                    id,
                    label,
                    question,
                });
            }
        }
        if let Some(order) = &self.head.aspects {
            let place = |id: &str| order.iter().position(|one| one == id);
            let unlisted = self.trade.aspects.iter().map(|aspect| aspect.id.clone());
            let unlisted: Vec<String> = unlisted.filter(|id| place(id).is_none()).collect();
            for id in unlisted {
                self.tell_head(format!("`aspects` does not list `{id}`"));
            }
            self.trade.aspects.sort_by_key(|aspect| place(&aspect.id));
        }
    }

    /// What `[trade]` names has to be there; what it is silent about may be missing.
    pub(super) fn roles(&mut self) {
        let Head {
            aspects,
            overall,
            quiet,
            facts,
            ..
        } = self.head;
        let silent = Head::default();
        let mut unknown = Vec::new();
        for (key, ids, usual) in [
            ("aspects", aspects.as_deref().unwrap_or_default(), &[][..]),
            (
                "overall",
                std::slice::from_ref(overall),
                &[silent.overall][..],
            ),
            ("quiet", quiet, &silent.quiet),
            ("facts", facts, &[]),
        ] {
            let is_missing = |id: &&String| self.trade.aspect(id).is_none() && ids != usual;
            let missing = ids.iter().filter(is_missing);
            unknown
                .extend(missing.map(|id| format!("`{key}` names `{id}`, which is no aspect here")));
        }
        unknown
            .into_iter()
            .for_each(|message| self.tell_head(message));
        let found = |ids: &[String]| ids.iter().filter_map(|id| self.trade.aspect(id)).collect();
        let (quiet, facts) = (found(quiet), found(facts));
        self.trade.overall = self.trade.aspect(overall);
        (self.trade.quiet, self.trade.facts) = (quiet, facts);
    }

    fn tell_head(&mut self, message: String) {
        if let Some((file, at)) = self.head.place {
            self.faults.push(self.files[file].fault((at, message)));
        }
    }
}
