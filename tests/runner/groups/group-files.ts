import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const NAME = 'group-';

/** For each group a file that ava can run, in a folder that goes when this is disposed of. */
export const writeGroupFiles = (root: string, groups: readonly (readonly string[])[]): { files: string[] } & Disposable => {
  const parent = join(root, '.setup/test-groups');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'run-'));
  const files = groups.map((group, index) => {
    const path = join(folder, `${NAME}${index + 1}.test.ts`);
    const runner = relative(folder, join(root, 'tests/runner/groups/run-group.js'));
    writeFileSync(path, `import { runGroup } from '${runner}';\n\nrunGroup(${JSON.stringify(group)});\n`);
    return relative(root, path);
  });
  return { files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
};

const GROUP_PREFIX = new RegExp(`(?:\\.setup › test-groups › run-\\w+ › )?${NAME}\\d+ › `);

/** A line of ava's report without the name of the group's file, which says nothing to people. */
export const withoutGroup = (line: string): string => line.replace(GROUP_PREFIX, '');
