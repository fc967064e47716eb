import { definitionOf } from '../pipeline/testing/sound-facts.js';
import { decideItems, itemsOutput, type OpenItems } from './decide-loop.js';
import type { ForEachStep } from './scope.js';
import { bodyScope, containerPlace, isLoop, scopeOf, scopesAround, topScope } from './scope.js';

const nested = definitionOf({
  name: 'p',
  steps: [
    {
      id: 'each',
      for_each: [1, 2],
      do: {
        steps: [
          {
            id: 'again',
            repeat: true,
            max_iterations: 3,
            until: 'true',
            do: { steps: [{ id: 'deep', transform: 1 }] },
          },
        ],
      },
    },
  ],
});

describe('scopes', () => {
  it('lead from a step in two loops to the document', () => {
    const place = { stepId: 'deep', item: 4, round: 2 };
    const scope = scopeOf(nested, place);
    expect(scope).toMatchObject({ item: 4, round: 2, container: { id: 'again' } });
    if (scope === null) throw new Error('no scope');
    expect(containerPlace(scope)).toEqual({ stepId: 'again', item: 4, round: 0 });
    const around = scopesAround(nested, scope);
    expect(around.map(({ item, round, container }) => [container?.id ?? null, item, round])).toEqual([
      ['each', 4, 0],
      [null, null, 0],
    ]);
    expect(containerPlace(topScope(nested))).toBeNull();
  });

  it('of bodies stand at the loop and the number of the item or round', () => {
    const [each] = nested.steps;
    if (each === undefined || !isLoop(each)) throw new Error('no loop');
    expect(bodyScope(each, { item: null, round: 3 }, 7)).toMatchObject({ item: 7, round: 3 });
  });
});

describe('a for_each', () => {
  const loop = (settings: Partial<Pick<ForEachStep, 'maxParallel' | 'onItemFailure'>>): ForEachStep => {
    const [each] = nested.steps;
    if (each?.kind !== 'for_each') throw new Error('no loop');
    return { ...each, ...settings };
  };
  const counts = (some: Partial<OpenItems>): OpenItems => ({ pending: 0, running: 0, failed: 0, ...some });

  it('begins as many items as there is room and are left', () => {
    const step = loop({ maxParallel: 3 });
    expect(decideItems(step, counts({ pending: 9 }))).toEqual({ next: 'start', count: 3 });
    expect(decideItems(step, counts({ pending: 1, running: 1 }))).toEqual({ next: 'start', count: 1 });
    expect(decideItems(step, counts({ pending: 9, running: 3 }))).toEqual({ next: 'start', count: 0 });
    expect(decideItems(step, counts({}))).toEqual({ next: 'succeed' });
  });

  it('ends with its first failure, or goes on over it, as it says', () => {
    const failed = counts({ failed: 1, running: 2, pending: 2 });
    expect(decideItems(loop({ onItemFailure: 'fail' }), failed)).toEqual({ next: 'fail' });
    expect(decideItems(loop({ onItemFailure: 'continue', maxParallel: 3 }), failed)).toEqual({
      next: 'start',
      count: 1,
    });
    const error = { code: 'c', detail: 'd', step_id: null };
    const items = [
      { status: 'succeeded' as const, output: 1, error: null },
      { status: 'failed' as const, output: null, error },
    ];
    expect(itemsOutput(loop({ onItemFailure: 'continue' }), items)).toEqual([1, null]);
    expect(itemsOutput(loop({ onItemFailure: 'collect' }), items)).toEqual([
      { status: 'succeeded', output: 1, error: null },
      { status: 'failed', output: null, error },
    ]);
  });
});
