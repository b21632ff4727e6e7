/** Records of all applications, the same for each. */
export interface Issue {
  id: number;
  title: string;
  state: "open" | "closed";
  text: string;
}

export const issues: Issue[] = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  title: `Issue ${index + 1}: the door of room ${index * 7} does not close`,
  state: index % 3 === 0 ? "closed" : "open",
  text: "It is <open> & stays open, whatever one does. ".repeat(4),
}));

export function findIssue(id: string): Issue | undefined {
  return issues.find((issue) => String(issue.id) === id);
}
