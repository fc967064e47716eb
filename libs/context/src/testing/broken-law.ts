/** A broken law, by its name in design/context.md. */
export class BrokenLaw extends Error {}
export const hold = (law: string, holds: boolean, about: () => string): void => {
  if (!holds) throw new BrokenLaw(`${law}: ${about()}`);
};
