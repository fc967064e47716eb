import { PIPELINE_LIMITS } from '../pipeline/pipeline-limits.js';
import { definitionOf, soundFacts } from '../pipeline/testing/sound-facts.js';
import { openStep } from './open-step.js';

describe('a for_each that is ready', () => {
  const opened = (elements: number) => {
    const definition = definitionOf({
      name: 'p',
      steps: [{ id: 'each', for_each: [1], do: { steps: [{ id: 'one', transform: 1 }] } }],
    });
    const [each] = definition.steps;
    if (each?.kind !== 'for_each') throw new Error('no loop');
    const items = Array.from({ length: elements }, (_, index) => index);
    const place = { stepId: 'each', item: null, round: 0, kind: 'for_each', attempt: 1 };
    return openStep({ ...each, items }, { place, variables: () => ({}), language: soundFacts.expressions });
  };

  it('makes a step run of each of 10,000 elements, and fails over that with what to do', () => {
    expect(opened(PIPELINE_LIMITS.itemsPerStep)).toMatchObject({ type: 'expand_items', stepId: 'each' });
    expect(opened(PIPELINE_LIMITS.itemsPerStep + 1)).toMatchObject({
      type: 'fail_step',
      error: {
        detail: 'for_each gave 10001 elements, at most 10000 are run; split the list over runs',
        step_id: 'each',
      },
    });
  });
});
