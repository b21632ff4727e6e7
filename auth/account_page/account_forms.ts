import { type Html, type HtmlValue, markup } from "../http/html.ts";

/** A form of the account page with one button. */
export interface ActionForm {
  /** Where it leads, below `basePath`. */
  path: string;
  /** What stands on the button. */
  button: string;
  /** What is sent along without being shown. */
  hidden?: Readonly<Record<string, string>>;
  /** The fields above the button. */
  fields?: HtmlValue;
  /** Further attributes of the form. */
  attributes?: Html;
}

/** A form. The page works without scripts, so everything on it is one. */
export function actionForm(basePath: string, form: ActionForm): Html {
  const hidden = Object.entries(form.hidden ?? {}).map(([name, value]) =>
    markup`<input type="hidden" name="${name}" value="${value}">\n`
  );
  return markup`<form method="post" action="${basePath}${form.path}"${form.attributes ?? ""}>
${hidden}${form.fields ?? ""}<button type="submit">${form.button}</button>
</form>
`;
}

/** A field with its label. */
export function textField(label: string, attributes: Html): Html {
  return markup`<label>${label}
<input ${attributes}>
</label>
`;
}

/** A day, in the one form that is read the same everywhere. */
export function day(date: Date): Html {
  const text = date.toISOString().slice(0, 10);
  return markup`<time datetime="${text}">${text}</time>`;
}

/** A moment to the minute, in the one zone that is everybody's. */
export function moment(date: Date): Html {
  const text = date.toISOString();
  return markup`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A part of the page: its heading, and what belongs to it. */
export function section(title: string, content: HtmlValue): Html {
  return markup`<section>
<h2>${title}</h2>
<div>
${content}</div>
</section>
`;
}
