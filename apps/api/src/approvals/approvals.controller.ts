import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { decideApproval, type ApprovalRecord } from '#libs/engine';
import { listApprovals, recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import {
  approval,
  approvalListQuery,
  decisionBody,
  type Approval,
  type ApprovalListQuery,
  type DecisionBody,
} from './approval.schema.js';

@ApiTags('approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listApprovals',
    summary: 'What people are or were asked to decide',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of approvals, newest first.', schema: pageOf(approval) } },
  })
  @Get()
  async list(
    @Query({ schema: approvalListQuery }) query: ApprovalListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<Approval>> {
    const { limit, cursor, ...given } = query;
    const after = decodeCursor(cursor, given);
    const key = after === null ? null : { requestedAt: String(after[0]), approvalId: String(after[1]) };
    const filters = {
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.run_id === undefined ? {} : { runId: query.run_id }),
    };
    const rows = await listApprovals(this.parts.database.kysely, caller.projectId, filters, { after: key, limit });
    const keyOf = (row: ApprovalRecord): string[] => [row.requestedAt, row.approvalId];
    return toPage(rows, limit, given, keyOf, (row) => toApproval(row, caller));
  }

  @Operation({
    id: 'getApproval',
    summary: 'One approval',
    scope: 'runs:read',
    answers: { 200: { description: 'The approval.', schema: approval } },
  })
  @Get(':approval')
  async get(
    @Param('approval', { schema: pathId }) approvalId: string,
    @FromCaller() caller: Caller,
  ): Promise<Approval> {
    const found = await this.parts.engine.runs.getApproval(caller.projectId, approvalId);
    if (found === null) throw approvalNotFound(approvalId);
    return toApproval(found, caller);
  }

  @Operation({
    id: 'decideApproval',
    summary: 'Approve or deny',
    description:
      'The first decision holds; the same one again changes nothing, another one is refused with 409. `form` must fit the approval’s form, `arguments` the tool’s parameters.',
    scope: 'approvals:decide',
    answers: { 200: { description: 'The decided approval.', schema: approval } },
  })
  @ApiIdempotencyKey()
  @Post(':approval/decision')
  async decide(
    @Param('approval', { schema: pathId }) approvalId: string,
    @Body({ schema: decisionBody }) body: DecisionBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Approval> {
    const given = {
      decision: body.decision,
      form: body.form ?? null,
      comment: body.comment ?? null,
      arguments: argumentsText(body.arguments),
    };
    const deed = { projectId: caller.projectId, scope: `decide:${approvalId}`, key, body: given, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.apply(approvalId, given, caller),
      (answer) => answer,
      (stored) => approval.parse(stored),
    );
  }

  private async apply(
    approvalId: string,
    given: Omit<Parameters<typeof decideApproval>[1], 'projectId' | 'approvalId' | 'decidedBy'>,
    caller: Caller,
  ): Promise<Approval> {
    const { projectId, keyId } = caller;
    const result = await decideApproval(this.parts.engine, { projectId, approvalId, decidedBy: keyId, ...given });
    switch (result.status) {
      case 'not_found':
        throw approvalNotFound(approvalId);
      case 'invalid': {
        const fault = {
          in: 'body' as const,
          pointer: `#/${result.field}`,
          code: 'does_not_fit',
          detail: result.detail,
        };
        throw new ProblemError('invalid_request', `The ${result.field} of the decision cannot be used.`, {
          errors: [fault],
        });
      }
      case 'closed':
        throw new ProblemError('wrong_state', `Approval ${approvalId} is ${result.approval.status} already.`);
      case 'decided': {
        const { decision } = given;
        if (!result.repeated)
          await recordAudit(this.parts.database.kysely, {
            projectId,
            actor: keyId,
            action: `approval.${decision}`,
            subject: approvalId,
            detail: { run_id: result.approval.runId, step_id: result.approval.stepId },
          });
        return toApproval(result.approval, caller);
      }
    }
  }
}

const approvalNotFound = (approvalId: string): ProblemError => notFound('approval_not_found', `Approval ${approvalId}`);

function argumentsText(given: DecisionBody['arguments']): string | null {
  if (given == null) return null;
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function toApproval(row: ApprovalRecord, caller: Caller): Approval {
  const showsContent = hasScope(caller, 'content:read') || hasScope(caller, 'approvals:decide');
  const isDecided = row.status === 'approved' || row.status === 'denied';
  return {
    id: row.approvalId,
    kind: row.kind,
    status: row.status,
    run_id: row.runId,
    step_id: row.stepId,
    item: row.item,
    round: row.round,
    call: row.callNo,
    prompt: showsContent ? row.prompt : null,
    form: row.form,
    tool: row.tool,
    arguments: showsContent ? row.arguments : null,
    decision:
      isDecided && showsContent
        ? {
            form: row.decisionForm,
            comment: row.decisionComment,
            arguments: row.decisionArguments,
            decided_by: row.decidedBy,
            decided_at: row.decidedAt,
          }
        : null,
    due_at: row.dueAt,
    requested_at: row.requestedAt,
  };
}
