import { loadConfig } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './restore/arguments.ts';
import { restore } from './restore/restore.ts';

process.exitCode = await runTool({ name: 'sheaf restore', parse: parseArguments, run: (command) => restore(command, loadConfig()) });
