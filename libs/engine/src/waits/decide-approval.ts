import type { ApprovalDecision, Json } from '#libs/domain';
import type { Advance } from '../advance/advance.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { ApprovalRecord } from '../ports/wait-store.port.js';
import { changeStep } from '../sweep/change-step.js';
import { succeedWait } from './end-wait.js';
import { wakeStep } from './wake-step.js';

export type DecideApproval = {
  projectId: string;
  approvalId: string;
  decision: ApprovalDecision;
  /** What the person filled in; checked against the approval's `form`. */
  form: Json;
  comment: string | null;
  /** For a tool's call: the arguments (JSON text) to make it with instead. */
  arguments: string | null;
  decidedBy: string;
};

export type DecideApprovalResult =
  /** `repeated`: it had been decided the same way. */
  | { status: 'decided'; approval: ApprovalRecord; repeated: boolean }
  | { status: 'not_found' }
  /** Decided otherwise before, or its step ended without it. */
  | { status: 'closed'; approval: ApprovalRecord }
  | { status: 'invalid'; field: 'form' | 'arguments'; detail: string };

/** One decision, under the locks of run, step and approval: of two that come at once the first holds. */
export async function decideApproval(deps: EngineDeps, command: DecideApproval): Promise<DecideApprovalResult> {
  const known = await deps.runs.getApproval(command.projectId, command.approvalId);
  if (known === null) return { status: 'not_found' };
  const fault = checkDecision(deps, known, command) ?? (await checkArguments(deps, known, command));
  if (fault !== null) return fault;
  let isRepeated = true;
  await changeStep(deps, known, async (advance, row) => {
    isRepeated = true;
    const approval = await advance.tx.lockApproval(known.projectId, known.approvalId);
    if (approval === null || approval.status !== 'pending') return null;
    isRepeated = false;
    return applyDecision(advance, row, approval, command);
  });
  const approval = (await deps.runs.getApproval(command.projectId, command.approvalId)) ?? known;
  const decided = command.decision === 'approve' ? 'approved' : 'denied';
  return approval.status === decided
    ? { status: 'decided', approval, repeated: isRepeated }
    : { status: 'closed', approval };
}

function checkDecision(
  deps: Pick<EngineDeps, 'tools'>,
  approval: ApprovalRecord,
  command: DecideApproval,
): Extract<DecideApprovalResult, { status: 'invalid' }> | null {
  if (command.decision === 'approve' && approval.form !== null) {
    if (command.form === null)
      return { status: 'invalid', field: 'form', detail: `found no form, expected ${JSON.stringify(approval.form)}` };
    const checked = deps.tools.checkSchema(approval.form, command.form);
    if (!checked.ok) return { status: 'invalid', field: 'form', detail: checked.detail };
  }
  if (command.arguments !== null && approval.kind === 'step')
    return { status: 'invalid', field: 'arguments', detail: 'only a tool call has arguments' };
  return null;
}

/** Against the tool's schema where it is known here, so that whoever decides learns of a mistake. */
async function checkArguments(
  deps: EngineDeps,
  approval: ApprovalRecord,
  { arguments: edited, projectId }: DecideApproval,
): Promise<Extract<DecideApprovalResult, { status: 'invalid' }> | null> {
  if (edited === null || approval.tool === null) return null;
  const run = await deps.runs.getRun(projectId, approval.runId);
  if (run === null) return null;
  const definition = await loadDefinition(deps, projectId, run.pipeline, run.pipelineVersion);
  const resolved = deps.tools.resolve(approval.tool, definition.tools.get(approval.tool) ?? null);
  // A tool whose server this process has not asked: the step checks them before it makes the call.
  if (!resolved.ok) return null;
  const parsed = deps.tools.parseArguments(resolved.tool, edited);
  return parsed.ok ? null : { status: 'invalid', field: 'arguments', detail: parsed.detail };
}

async function applyDecision(
  advance: Advance,
  row: StepRunRecord,
  approval: ApprovalRecord,
  command: DecideApproval,
): Promise<string[]> {
  const { decision, decidedBy } = command;
  const { projectId, approvalId } = approval;
  const { redact } = advance.deps;
  const form = redact(command.form);
  const comment = redactedText(redact, command.comment);
  const edited = redactedText(redact, command.arguments);
  await advance.tx.storeDecision({ projectId, approvalId, decision, form, comment, arguments: edited, decidedBy });
  advance.recorder.ofStep(row, 'ApprovalDecided', [approvalId], {
    ...{ approval_id: approvalId, decision, form, comment },
    arguments: edited,
    decided_by: decidedBy,
  });
  if (approval.kind === 'step') {
    await succeedWait(advance, row, { decision: { decision, form, comment, decidedBy } });
    return [];
  }
  // A step that runs finds the decision when it next asks.
  return row.status === 'waiting' && row.reason === 'approval' ? wakeStep(advance, row) : [];
}

function redactedText(redact: EngineDeps['redact'], text: string | null): string | null {
  const redacted = redact(text);
  return typeof redacted === 'string' ? redacted : null;
}
