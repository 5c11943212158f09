import { writeFile } from 'node:fs/promises';
import en from '../locales/en.json' with { type: 'json' };
import { describeArguments } from './describe-arguments.ts';

// Writes the types of the arguments of messages down, as the catalogue has them: `npm run messages`.
await writeFile(new URL('message-arguments.ts', import.meta.url), describeArguments(en));
