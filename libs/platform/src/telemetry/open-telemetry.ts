import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { weirVersion } from '../config/version.js';
import type { Attributes, OpenSpan, SpanOptions, Tracing } from './tracing.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;
/** In characters: a span with the messages of a call must stay one that a collector takes. */
const LONGEST_ATTRIBUTE = 131_072;
const CLOSE_MS = 2000;

/** Spans over OTLP (HTTP, JSON). Headers and time-outs by the usual OTEL_EXPORTER_OTLP_* variables, read by the exporter. */
export function openTelemetryTracing(endpoint: string, capturesContent: boolean, service: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': weirVersion() }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1000 })],
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
    forceFlushTimeoutMillis: CLOSE_MS,
  });
  const tracer = provider.getTracer('weir', weirVersion());
  return {
    capturesContent,
    start: (name, { kind, parent, attributes, startTime }) =>
      openSpan(
        tracer.startSpan(
          name,
          { kind: KINDS[kind], attributes: given(attributes), ...(startTime === undefined ? {} : { startTime }) },
          contextOf(parent),
        ),
      ),
    close: () => provider.shutdown(),
  };
}

function contextOf(parent: SpanOptions['parent']): Context {
  const [, traceId, spanId, flags] = parent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true });
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    set: (attributes) => void span.setAttributes(given(attributes)),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

type Given = { [name: string]: string | number | boolean | string[] };

function given(attributes: Attributes): Given {
  const set: Given = {};
  for (const [name, value] of Object.entries(attributes))
    if (value !== null) set[name] = typeof value === 'object' ? [...value] : value;
  return set;
}
