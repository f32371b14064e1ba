//! `POST /mcp`: the reviews as tools, resources and prompts for agents, in every revision of the Model Context Protocol from
//! 2025-03-26 on.

pub mod offer;
