import type { Environment } from '@marcbachmann/cel-js';
import { celEnvironment } from './cel-environment.js';
import { compileCel, type CompiledCel } from './cel-program.js';

/** Environments by their names (they are expensive), programs by names and source, least recently used out first. */
export class CelCache {
  private readonly environments = new Map<string, Environment>();
  private readonly programs = new Map<string, CompiledCel>();

  constructor(private readonly capacity: number) {}

  compile(source: string, roots: readonly string[]): CompiledCel {
    const names = [...roots].sort();
    const key = programKey(source, names);
    const known = this.programs.get(key);
    if (known !== undefined) {
      this.programs.delete(key);
      this.programs.set(key, known);
      return known;
    }
    const compiled = compileCel(this.environment(names), names, source);
    this.programs.set(key, compiled);
    if (this.programs.size > this.capacity) {
      const oldest = this.programs.keys().next();
      if (oldest.done !== true) this.programs.delete(oldest.value);
    }
    return compiled;
  }

  forget(source: string, roots: readonly string[]): void {
    this.programs.delete(programKey(source, [...roots].sort()));
  }

  private environment(names: readonly string[]): Environment {
    const key = names.join(',');
    const known = this.environments.get(key);
    if (known !== undefined) return known;
    const fresh = celEnvironment(names);
    this.environments.set(key, fresh);
    return fresh;
  }
}

function programKey(source: string, sortedNames: readonly string[]): string {
  return `${sortedNames.join(',')}\n${source}`;
}
