export { checkSchedule, upcomingTicks, type CheckedSchedule } from './check-schedule.js';
export { parseCron } from './cron-times.js';
export { runDueSchedules } from './run-due-schedules.js';
export { startTick, type StartedTick } from './start-tick.js';
