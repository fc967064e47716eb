/** Values of attributes; null is left out. */
export type Attributes = { readonly [name: string]: string | number | boolean | readonly string[] | null };

export type SpanOptions = {
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** The W3C traceparent of the span around this one; null: a trace of its own. */
  readonly parent: string | null;
  readonly attributes: Attributes;
  readonly startTime?: Date;
};

export type OpenSpan = {
  /** For spans below this one, in whatever process. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** `type`: a code, never a text of users or models. */
  fail(type: string): void;
  end(): void;
};

/** The seam to OpenTelemetry. Nothing of it is loaded while it is off. */
export type Tracing = {
  /** Null: off. */
  readonly start: ((name: string, options: SpanOptions) => OpenSpan) | null;
  /** Whether what models are told and say belongs into spans. */
  readonly capturesContent: boolean;
  /** Sends what is left; bounded. */
  close(): Promise<void>;
};

export type TracingSettings = {
  /** Base address of an OTLP receiver over HTTP; null: tracing is off. */
  readonly endpoint: string | null;
  readonly captureContent: boolean;
};

const off: Tracing = { start: null, capturesContent: false, close: () => Promise.resolve() };

/** `service`: the `service.name` of this process. */
export async function createTracing({ endpoint, captureContent }: TracingSettings, service: string): Promise<Tracing> {
  if (endpoint === null) return off;
  const { openTelemetryTracing } = await import('./open-telemetry.js');
  return openTelemetryTracing(endpoint, captureContent, service);
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` header that can be carried on; null for anything else. */
export function traceparentOf(header: unknown): string | null {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
}
