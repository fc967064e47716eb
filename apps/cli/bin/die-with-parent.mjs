// Loaded with --import by what prepare.mjs starts, and by prepare.mjs itself below npm: the process ends when its parent
// does, however that ended. A thread watches, because installing and compiling block the main one.
import { isMainThread, Worker } from 'node:worker_threads';

const watch = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
}, 200);`;

/** Ends this process with its parent until the returned function is called. */
export function dieWithParent() {
  // No --import in the thread, else it would start one of its own.
  const thread = new Worker(watch, { eval: true, execArgv: [], env: {}, workerData: { parent: process.ppid } });
  thread.unref();
  return () => void thread.terminate();
}

if (isMainThread && process.env.WEIR_DIE_WITH_PARENT === '1') dieWithParent();
