import type { Command } from 'commander';
import { registerApply } from './apply.command.js';
import { registerApprovals } from './approvals.command.js';
import { registerCancel } from './cancel.command.js';
import { registerCompactions } from './compactions.command.js';
import { registerContext } from './context.command.js';
import { registerDeadLetters } from './dead-letters.command.js';
import { registerDecide } from './decide.command.js';
import { registerDoctor } from './doctor.command.js';
import { registerErase } from './erase.command.js';
import { registerEvents } from './events.command.js';
import { registerExplain } from './explain.command.js';
import { registerHooks } from './hooks.command.js';
import { registerExport } from './export.command.js';
import { registerImport } from './import.command.js';
import { registerKeys } from './keys.command.js';
import { registerMigrate } from './migrate.command.js';
import { registerPromote } from './promote.command.js';
import { registerRetention } from './retention.command.js';
import { registerRetry } from './retry.command.js';
import { registerPause, registerResume } from './pause.command.js';
import { registerPreview } from './preview.command.js';
import { registerReplay } from './replay.command.js';
import { registerRun } from './run.command.js';
import { registerRuns } from './runs.command.js';
import { registerSchedules } from './schedules.command.js';
import { registerSchema } from './schema.command.js';
import { registerShow } from './show.command.js';
import { registerSignal } from './signal.command.js';
import { registerUp } from './up.command.js';
import { registerValidate } from './validate.command.js';
import { registerVerify } from './verify.command.js';
import { registerWebhooks } from './webhooks.command.js';

/** In the order of `weir --help`. To add a command: a file beside this one, and a line here. */
export const commands: readonly ((program: Command) => void)[] = [
  registerUp,
  registerApply,
  registerPromote,
  registerValidate,
  registerSchema,
  registerRun,
  registerRuns,
  registerShow,
  registerExplain,
  registerEvents,
  registerContext,
  registerPreview,
  registerReplay,
  registerImport,
  registerExport,
  registerCancel,
  registerRetry,
  registerPause,
  registerResume,
  registerApprovals,
  registerDecide,
  registerSignal,
  registerSchedules,
  registerHooks,
  registerWebhooks,
  registerCompactions,
  registerDeadLetters,
  registerVerify,
  registerDoctor,
  registerErase,
  registerRetention,
  registerMigrate,
  registerKeys,
];
