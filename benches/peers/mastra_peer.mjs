// The same work in Mastra: nanoseconds a piece, a line each. Workflows of one `Mastra` without a logger, as its docs begin.

import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

const [ITEMS, AT_ONCE, REQUESTS] = [10_000, 64, 1_000];
const number = z.number();
const numbers = { inputSchema: number, outputSchema: number };
const tally = { ...numbers, stateSchema: z.object({ count: number }) };

const bump = (i, yields) =>
  createStep({
    id: `bump_${i}`,
    ...tally,
    execute: async ({ inputData, state, setState }) => {
      if (yields) await new Promise(setImmediate);
      await setState({ count: state.count + 1 });
      return inputData + 1;
    },
  });

const ten = (id, later) => {
  let all = createWorkflow({ id, ...tally });
  for (let i = 0; i < 10; i++) all = all.then(bump(i, i === later));
  return all.commit();
};

let nested = createStep({ id: 'add', ...numbers, execute: async ({ inputData }) => inputData + 1 });
for (let level = 1; level <= 5; level++) nested = createWorkflow({ id: `level_${level}`, ...numbers }).then(nested).commit();

const double = createStep({ id: 'double', ...numbers, execute: async ({ inputData }) => inputData * 2 });
const list = { inputSchema: z.array(number), outputSchema: z.array(number) };
const each = createWorkflow({ id: 'each', ...list }).foreach(double, { concurrency: AT_ONCE }).commit();

const workflows = { ten: ten('ten'), of_many: ten('of_many', 4), nested, each };
const mastra = new Mastra({ workflows, logger: false });

const run = async (name, inputData, initialState) => {
  const run = await mastra.getWorkflow(name).createRun();
  const done = await run.start({ inputData, ...(initialState && { initialState }) });
  if (done.status !== 'success') throw new Error(`${name}: ${done.status} ${done.error}`);
  return done.result;
};
const is = (held) => {
  if (!held) throw new Error('another result');
};

const works = {
  chain: [20, async () => {
    for (let i = 0; i < 20; i++) is((await run('ten', i, { count: 0 })) === i + 10);
    return 200;
  }],
  nested: [20, async () => {
    for (let i = 0; i < 20; i++) is((await run('nested', i)) === i + 1);
    return 20;
  }],
  'fan-out': [3, async () => {
    const done = await run('each', Array.from({ length: ITEMS }, (_, i) => i));
    is(done.length === ITEMS && done[9_999] === 19_998);
    return ITEMS;
  }],
  requests: [4, async () => {
    const all = await Promise.all(Array.from({ length: REQUESTS }, (_, i) => run('of_many', i, { count: 0 })));
    is(all.every((end, i) => end === i + 10));
    return REQUESTS;
  }],
};

for (const [name, [rounds, work]] of Object.entries(works)) {
  let least = Infinity;
  for (let i = 0; i <= rounds; i++) {
    const start = process.hrtime.bigint();
    const pieces = await work();
    // the first warms up
    if (i) least = Math.min(least, Number(process.hrtime.bigint() - start) / pieces);
  }
  console.log(`Mastra\t${name}\t${least.toFixed(1)}`);
}
process.exit(0);
