import { ProblemError } from '../http/problem-error.js';
import type { Caller } from '../auth/caller.js';

/** The project that `weir up` and `weir migrate` make. Its admins administer the installation. */
export const HOME_PROJECT = 'default';

export const isInstallationAdmin = (caller: Caller): boolean => caller.projectId === HOME_PROJECT;

/** Admins of other projects see and manage their own alone; another project's id is answered as if it did not exist. */
export function projectInReach(caller: Caller, projectId: string | undefined): string {
  if (projectId === undefined || projectId === caller.projectId) return caller.projectId;
  if (isInstallationAdmin(caller)) return projectId;
  throw projectNotFound(projectId);
}

export function projectNotFound(projectId: string): ProblemError {
  return new ProblemError('project_not_found', `Project ${projectId} does not exist or is out of this key's reach.`);
}
