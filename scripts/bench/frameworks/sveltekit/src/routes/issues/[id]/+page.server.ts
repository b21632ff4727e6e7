import { findIssue } from "$lib/issues";
import { error } from "@sveltejs/kit";

export function load({ params }) {
  return findIssue(params.id) ?? error(404);
}
