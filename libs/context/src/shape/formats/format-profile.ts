/** Where a part that is not text may stand. */
export type PartPlaces = { user: boolean; tool: boolean };

/** `words` say it to the author of a document. */
export type ToolNameRule = { pattern: RegExp; maxLength: number; words: string };

/** What one provider's form of a request allows: the linter refuses what breaks it, the repair makes it fit. */
export type FormatProfile = {
  callId: {
    pattern: RegExp;
    /** Chars. */
    maxLength: number;
    /**
     * The id of a call: a function of its identity alone, never of the provider's id (which repeats) or of what else is
     * in view, so an id that was sent once stays.
     */
    mint: (entry: number, ordinal: number) => string;
  };
  toolName: ToolNameRule;
  /** Of one request. */
  maxTools: number;
  maxCallsPerMessage: number | null;
  images: PartPlaces;
  /** Media types of images that are taken as base64; others are described. */
  imageTypes: readonly string[];
  documents: PartPlaces;
  documentTypes: readonly string[];
  /** A message with a document needs a text beside it. */
  documentsNeedText: boolean;
  /** The provider fetches images and documents from http addresses; where it does not they are described. */
  fetchesUrls: boolean;
  /** Chars of base64 of one image, of one document. */
  maxPartChars: { image: number; document: number };
  /** Of one request: how many images, documents, both together, and chars of base64 of them all. */
  maxMedia: { images: number; documents: number; count: number; chars: number };
  /** Pixels of the longer side of an image; a lower bound holds for each one once a request has more than `from`. Null: scaled by the provider. */
  imageSide: { max: number; crowded: { from: number; max: number } } | null;
  /**
   * `merged`: no two user messages and no two answers in a row; `strict`: beyond that an answer stands between a tool
   * result and the next user message.
   */
  alternation: 'free' | 'merged' | 'strict';
  /**
   * Which reasoning goes back, as it came: `signed` blocks, first in their message; `encrypted` items, in their place, each
   * with what follows it; `thought_signatures` of calls and thoughts; `none`: it is left out.
   */
  reasoning: 'none' | 'signed' | 'encrypted' | 'thought_signatures';
};

/** `call_57_0`: letters, digits and underscore, far below every known limit. */
export const mintPlainId = (entry: number, ordinal: number): string => `call_${entry}_${ordinal}`;

export const PLAIN_TOOL_NAME: ToolNameRule = {
  pattern: /^[a-zA-Z0-9_-]+$/,
  maxLength: 64,
  words: '1 to 64 letters, digits, underscores or hyphens',
};
