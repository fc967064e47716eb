import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { readinessOf } from '../../../runtime/src/index.js';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { live, ready, version, type Live, type Ready, type Version } from './health.schema.js';
import { METRICS, type ApiMetrics } from './metrics.js';

@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    @Inject(API_PARTS) private readonly parts: ApiParts,
    @Inject(METRICS) private readonly metrics: ApiMetrics,
  ) {}

  @Operation({
    id: 'getLive',
    summary: 'Whether the process turns',
    description: 'When one of its loops has stopped it answers 503: only starting it again helps.',
    scope: 'public',
    answers: { 200: { description: 'It does.', schema: live } },
  })
  @Header('cache-control', 'no-store')
  @Get('health/live')
  live(): Live {
    const stalls = this.parts.stalls();
    if (stalls.length > 0) throw new ProblemError('process_stalled', `${stalls.join('; ')}.`, { retryAfterMs: 1000 });
    return { status: 'live' };
  }

  @Operation({
    id: 'getReady',
    summary: 'Whether the API can work',
    description: 'Each dependency with its reason. Without the queue runs are accepted and start when it is back.',
    scope: 'public',
    answers: { 200: { description: 'Ready.', schema: ready } },
  })
  @Header('cache-control', 'no-store')
  @Get('health/ready')
  async ready(): Promise<Ready> {
    if (this.parts.shutdown.aborted)
      throw new ProblemError('not_ready', 'The process is shutting down.', { retryAfterMs: 1000 });
    const { checks } = await readinessOf(this.parts.readiness);
    const optional = new Set(
      this.parts.readiness.filter((check) => check.isOptional === true).map((check) => check.name),
    );
    const failing = Object.entries(checks).filter(([name, { ok }]) => !ok && !optional.has(name));
    if (failing.length === 0) return { status: 'ready', checks };
    const detail = failing.map(([name, check]) => `${name}: ${check.detail}`).join('; ');
    throw new ProblemError('not_ready', detail, { retryAfterMs: 1000, checks });
  }

  @Operation({
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    scope: 'public',
    answers: { 200: { description: 'The text format.', mediaType: 'text/plain' } },
  })
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @Get('metrics')
  metricsText(): Promise<string> {
    return this.metrics.registry.metrics();
  }

  @Operation({
    id: 'getVersion',
    summary: 'Which Weir this is',
    scope: 'public',
    answers: { 200: { description: 'The version.', schema: version } },
  })
  @Get('version')
  version(): Version {
    return { name: 'weir', version: this.parts.version, api: 'v1', node: process.version };
  }
}
