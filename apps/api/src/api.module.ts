import { Module, type DynamicModule } from '@nestjs/common';
import { CompactionVerbsController } from './admin/compaction-verbs.controller.js';
import { CompactionsController } from './admin/compactions.controller.js';
import { MendingController } from './admin/mending.controller.js';
import { OperationController } from './admin/operation.controller.js';
import { StreamCallsController } from './admin/stream-calls.controller.js';
import { StreamsController } from './admin/streams.controller.js';
import { API_PARTS, type ApiParts } from './api-parts.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { BulkController } from './bulk/bulk.controller.js';
import { KeyRegistry } from './auth/key-registry.js';
import { MessagesController } from './conversations/messages.controller.js';
import { TransferController } from './conversations/transfer.controller.js';
import { EventsController } from './events/events.controller.js';
import { ProgressHub } from './events/progress-hub.js';
import { HealthController } from './health/health.controller.js';
import { METRICS, type ApiMetrics } from './health/metrics.js';
import { HookDeliveriesController } from './hooks/hook-deliveries.controller.js';
import { HooksController } from './hooks/hooks.controller.js';
import { PipelineVersionsController } from './pipelines/pipeline-versions.controller.js';
import { PipelinesController } from './pipelines/pipelines.controller.js';
import { ApiKeysController } from './projects/api-keys.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { RecordingsController } from './recordings/recordings.controller.js';
import { RunPauseController } from './runs/run-pause.controller.js';
import { RunReportsController } from './runs/run-reports.controller.js';
import { RunVerbsController } from './runs/run-verbs.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { ScheduleVerbsController } from './schedules/schedule-verbs.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SignalsController } from './signals/signals.controller.js';
import { CallResultController } from './steps/call-result.controller.js';
import { StepsController } from './steps/steps.controller.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';

export type ApiModuleOptions = { parts: ApiParts; keys: KeyRegistry; hub: ProgressHub; metrics: ApiMetrics };

/** To add a resource: a folder with its schema and controller, and the controller here. */
@Module({
  controllers: [
    PipelinesController,
    PipelineVersionsController,
    RunsController,
    RunVerbsController,
    RunPauseController,
    RunReportsController,
    BulkController,
    StepsController,
    CallResultController,
    ApprovalsController,
    SignalsController,
    SchedulesController,
    ScheduleVerbsController,
    WebhookEndpointsController,
    WebhookDeliveriesController,
    HooksController,
    HookDeliveriesController,
    EventsController,
    MessagesController,
    RecordingsController,
    StreamsController,
    StreamCallsController,
    TransferController,
    CompactionsController,
    CompactionVerbsController,
    OperationController,
    MendingController,
    ProjectsController,
    ApiKeysController,
    HealthController,
  ],
})
export class ApiModule {
  static forRoot({ parts, keys, hub, metrics }: ApiModuleOptions): DynamicModule {
    return {
      module: ApiModule,
      providers: [
        { provide: API_PARTS, useValue: parts },
        { provide: KeyRegistry, useValue: keys },
        { provide: ProgressHub, useValue: hub },
        { provide: METRICS, useValue: metrics },
      ],
    };
  }

  /** For the OpenAPI document alone: Nest's preview instantiates nothing, so nothing is needed. */
  static forDescription(): DynamicModule {
    const tokens = [API_PARTS, KeyRegistry, ProgressHub, METRICS];
    return { module: ApiModule, providers: tokens.map((provide) => ({ provide, useValue: null })) };
  }
}
