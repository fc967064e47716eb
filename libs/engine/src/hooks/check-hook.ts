import { checkExpression, checkTemplate, type HookAction, type PipelineFault } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { checkRunTemplate, checkStart } from '../schedules/check-schedule.js';

/** What expressions of a hook are over. */
const HOOK_SCOPE = ['body', 'headers', 'hook'] as const;

/** Everything that is wrong with a hook's expressions and what it starts. */
export async function checkHook(
  deps: Pick<EngineDeps, 'expressions' | 'pipelines'>,
  hook: { projectId: string; action: HookAction; deliveryIdTemplate: string | null; condition: string | null },
): Promise<PipelineFault[]> {
  const { action, deliveryIdTemplate, condition } = hook;
  return [
    ...checkTemplate(deliveryIdTemplate, ['delivery_id'], HOOK_SCOPE, deps.expressions),
    ...(condition === null ? [] : checkExpression(condition, ['when'], HOOK_SCOPE, deps.expressions)),
    ...('start' in action
      ? [
          ...(await checkStart(deps, hook.projectId, action.start, 'action.start')),
          ...checkRunTemplate(action.start, ['action', 'start'], HOOK_SCOPE, deps.expressions),
        ]
      : checkTemplate(
          { key: action.signal.key, payload: action.signal.payload },
          ['action', 'signal'],
          HOOK_SCOPE,
          deps.expressions,
        )),
  ];
}
