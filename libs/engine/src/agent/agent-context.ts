import type { EventInput, EventSubject, EventType, JsonObject, NewEvent } from '#libs/domain';
import { readMemory } from '../memory.js';
import { newEvent } from '../new-event.js';
import type { AppendResult, AppendUnit, UsageDelta } from '../ports/event-log.port.js';
import type { AgentExecution, AgentPlan } from './agent-plan.js';
import type { Begun } from './begin-agent-step.js';
import { Conversation } from './conversation.js';
import type { ManifestOfCall } from './model-at-call.js';
import type { SubStream } from './read-kept-events.js';

/** One agent step at work: its plan, its conversation, and the only way it writes. */
export class AgentContext {
  /** By facts: what `modelAtCall` has stored already. */
  readonly callModels = new Map<string, ManifestOfCall>();

  private shownMemory: Promise<JsonObject> | null = null;
  /** What is appended with the start of the next call, or by `flush`; the conversation knows it already. */
  private late: { events: NewEvent[]; usage: UsageDelta } | null = null;

  constructor(
    readonly execution: AgentExecution,
    readonly plan: AgentPlan,
    readonly begun: Begun,
    private current: Conversation,
  ) {}

  get conversation(): Conversation {
    return this.current;
  }

  get subject(): EventSubject & { streamId: string } {
    const { run, row } = this.execution;
    return { runId: run.runId, stepId: row.stepId, item: row.item, round: row.round, streamId: this.begun.subStream };
  }

  get place(): SubStream {
    return { projectId: this.execution.run.projectId, streamId: this.begun.subStream };
  }

  /** The stream's memory as of the step's start, where builds show it apart from the conversation; else null. */
  memory(): Promise<JsonObject | null> {
    if (this.plan.policy.memory.placement !== 'before_tail') return Promise.resolve(null);
    const { deps, run } = this.execution;
    this.shownMemory ??= readMemory(deps.log, run.projectId, run.streamId, this.begun.memorySeq);
    return this.shownMemory;
  }

  get logFields(): JsonObject {
    const { run, row } = this.execution;
    return { run_id: run.runId, step_id: row.stepId, item: row.item, attempt: row.attempt };
  }

  event<T extends EventType>(type: T, key: readonly (string | number)[], data: EventInput<T>): NewEvent {
    return newEvent(this.execution.deps.redact, this.subject, type, key, data);
  }

  /** Appends with the step's fence, and with `expectedVersion` when what is written depends on having seen everything. */
  async append(
    events: NewEvent[],
    options: { expectedVersion?: number; usage?: UsageDelta } = {},
  ): Promise<AppendResult> {
    const { late } = this;
    const { expectedVersion } = options;
    if (late === null) return this.write(events, options);
    if (expectedVersion === undefined) {
      await this.flush();
      return this.write(events, options);
    }
    const all = [...late.events, ...events];
    const result = await this.write(all, {
      expectedVersion: expectedVersion - late.events.length,
      usage: late.usage,
    });
    if (result.status === 'appended') this.late = null;
    else await this.flush();
    return result;
  }

  /**
   * Leaves events for the next append of the step if that follows at once: one less to wait for. Only for what may be lost with
   * this process, since whoever takes over does it again. Whoever leaves the loop or writes otherwise calls `flush` first.
   */
  async appendSoon(events: NewEvent[], usage: UsageDelta): Promise<AppendResult | null> {
    if (this.late !== null || !this.current.foresee(events)) return this.append(events, { usage });
    this.late = { events, usage };
    return null;
  }

  /** Tool calls whose result is left for later. */
  get unwrittenCalls(): number {
    return this.late?.usage.toolCalls ?? 0;
  }

  /** Appends what was left for later. */
  async flush(): Promise<void> {
    const { late } = this;
    this.late = null;
    if (late !== null) await this.write(late.events, { usage: late.usage });
  }

  /** Before each action: what others wrote since. */
  async refresh(): Promise<void> {
    if (!this.current.isAstray) return this.current.refreshAfterOwn();
    const { execution, plan, begun, place, subject } = this;
    const next = { view: begun.view, policyHash: plan.policyHash, model: plan.facts };
    const own = { subject, models: plan.models.length, ownFrom: begun.view.cutoffSeq };
    this.current = await Conversation.open(execution.deps, place, next, own);
  }

  private async write(
    events: NewEvent[],
    options: { expectedVersion?: number; usage?: UsageDelta },
  ): Promise<AppendResult> {
    const { deps, run, held } = this.execution;
    const unit: AppendUnit = {
      projectId: run.projectId,
      streamId: this.begun.subStream,
      events,
      fence: { kind: 'step', id: held.stepRunId, fence: held.fence },
      ...options,
    };
    const [result] = await deps.log.append([unit]);
    if (result === undefined) throw new Error('append returned no result for its unit');
    if (result.status === 'fenced_out') held.stop('fenced');
    this.current.appended(events, result);
    return result;
  }
}
