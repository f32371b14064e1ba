//! `docs/MCP.md` names all tools and arguments, and its example is a real call on the sample business.

use super::*;
use crate::support::str_of;

const PAGE: &str = include_str!("../../../../../docs/MCP.md");

#[test]
fn the_manual_has_a_real_answer_and_names_all_arguments() {
    with_sample(async |app| {
        let (_, rest) = PAGE.split_once("### search_reviews").unwrap();
        let blocks = rest.split("```json\n").skip(1);
        let blocks = blocks.map(|block| block.split("```").next().unwrap());
        let values: Vec<Value> = blocks.map(|block| block.parse().unwrap()).collect();
        let [call, shown] = &values[..] else {
            panic!("{values:#?}")
        };
        let tools = Tools::of(app);
        let answer = tools.call(str_of(&call["name"]), call["arguments"].clone());
        assert_eq!(answer.await, *shown);
        for tool in TOOL_LIST.iter() {
            let arguments = members(&tool["inputSchema"]["properties"]).map(|(name, _)| name);
            for name in arguments.chain([str_of(&tool["name"])]) {
                assert!(PAGE.contains(&format!("`{name}`")), "no `{name}`");
            }
        }
    });
}
