export {
  DEFAULT_TOOL_LIMITS,
  guardPrefix,
  noteProgramStart,
  readProgramStarts,
  runTool,
  type ToolCommand,
  type ToolOutcome,
  type ToolRun,
  toolEnvironment,
  toolLayers,
} from './run-tool.ts';
export { describeLayers, type ToolAccess } from './sandbox/bubblewrap.ts';
export { ExchangeFolder } from './sandbox/exchange-folder.ts';
export { hasOwnTemporaryFolder } from './sandbox/sandbox.ts';
export { type RunningTool, readProgramWork, startTool } from './start-tool.ts';
export { writeLauncher } from './tool-launcher.ts';
