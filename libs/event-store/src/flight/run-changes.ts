import type {
  AnnouncedEvent,
  AppendUnit,
  LoopKey,
  NewRun,
  NewStepRun,
  RunRecord,
  RunVersions,
  StepRunRecord,
} from '#libs/engine';
import type { ItemStatus, Json, RunError, RunStatus } from '#libs/domain';

export type RunKey = { projectId: string; runId: string };
export type StepKey = { projectId: string; stepRunId: string };

/** The state a run is brought to. `started`, `ended`: it is now. */
export type RunChange = RunKey & {
  status: RunStatus;
  statusReason: string | null;
  started: boolean;
  ended: boolean;
  output: Json | undefined;
  error: RunError | null | undefined;
};
export type EndedItem = LoopKey & { item: number; status: ItemStatus; output: Json; error: RunError | null };
/** `running`: as many of the first ones have begun. */
export type NewItems = LoopKey & { values: readonly Json[]; running: number };
/** `exclusive`: of one that is taken. */
export type Hold = Pick<RunRecord, 'projectId' | 'streamId' | 'runId'> & { exclusive?: boolean };

/** What a run and a step of it must still be for its changes to be written. */
export type ExpectedRun = RunKey &
  StepKey &
  Pick<StepRunRecord, 'fence' | 'status' | 'dispatchNo'> & { versions: RunVersions };

/** What works on one run have decided to write. */
export type RunChanges = {
  /** `createdAt` null: when it is written. */
  newRun: (NewRun & { createdAt: string | null }) | null;
  run: RunChange | null;
  /** `lane` null: that of a run around it. */
  newSteps: (NewStepRun & { projectId: string; lane: string | null })[];
  /** Steps that succeeded. */
  succeeded: (StepKey & { output: Json; moreToolCalls: number; beganMsAgo: number | null })[];
  newItems: NewItems[];
  startedItems: (LoopKey & { item: number })[];
  endedItems: EndedItem[];
  taken: Hold[];
  released: Hold[];
  units: AppendUnit[];
  announced: { projectId: string; events: readonly AnnouncedEvent[]; newId: () => string }[];
};

export const noChanges = (): RunChanges => ({
  newRun: null,
  run: null,
  newSteps: [],
  succeeded: [],
  newItems: [],
  startedItems: [],
  endedItems: [],
  taken: [],
  released: [],
  units: [],
  announced: [],
});
