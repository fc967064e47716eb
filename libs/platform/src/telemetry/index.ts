export {
  createTracing,
  traceparentOf,
  type Attributes,
  type OpenSpan,
  type Tracing,
  type TracingSettings,
} from './tracing.js';
