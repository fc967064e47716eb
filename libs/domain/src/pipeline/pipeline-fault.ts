/**
 * One thing wrong with a document. `path` is as an author writes it (`steps[2].when`, `agents.chat.tools[0]`, empty for
 * the document itself), `found` and `expected` are short descriptions, `detail` is a whole sentence with what to do.
 */
export type PipelineFault = {
  readonly path: string;
  readonly code: string;
  readonly found: string;
  readonly expected: string;
  readonly detail: string;
};

/** Something the author should know about an accepted document. */
export type PipelineNote = { readonly path: string; readonly code: string; readonly detail: string };

/** What a check of a `context` block reports; `path` is relative to the block (`window.soft_cap_chars`). */
export type PolicyFault = {
  readonly path: string;
  readonly code: string;
  readonly found: string;
  readonly expected: string;
  readonly detail: string;
};
