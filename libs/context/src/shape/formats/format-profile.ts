/** Where a part that is not text may stand. */
export type PartPlaces = { user: boolean; tool: boolean };

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
  toolName: { pattern: RegExp; maxLength: number };
  /** Null: no limit is known. */
  maxTools: number | null;
  maxCallsPerMessage: number | null;
  images: PartPlaces;
  /** Media types of images that are taken as base64; others are described. */
  imageTypes: readonly string[];
  documents: PartPlaces;
  documentTypes: readonly string[];
  /** Chars of base64 of one image or document. */
  maxPartChars: number;
  /** Of one request: how many images and documents, and chars of base64 of them all. */
  maxMedia: { count: number; chars: number };
  /** `strict`: user and assistant take turns, and an answer stands between a tool result and the next user message. */
  alternation: 'free' | 'strict';
  /** `signed`: thinking blocks go back as they came, first in their message; `none`: they are left out. */
  reasoning: 'none' | 'signed';
};

/** `call_57_0`: letters, digits and underscore, far below every known limit. */
export const mintPlainId = (entry: number, ordinal: number): string => `call_${entry}_${ordinal}`;
