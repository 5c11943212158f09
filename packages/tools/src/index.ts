export { readProgramWork } from './program-work.ts';
export { runTool, type ToolCommand, type ToolOutcome, type ToolRun, toolEnvironment } from './run-tool.ts';
export { type ToolAccess } from './sandbox/access.ts';
export { ExchangeFolder } from './sandbox/exchange-folder.ts';
export { describeLayers } from './sandbox/layers.ts';
export { hasOwnTemporaryFolder } from './sandbox/sandbox.ts';
export { type RunningTool, startTool } from './start-tool.ts';
export { DEFAULT_TOOL_LIMITS, guardPrefix, toolLayers } from './tool-guard.ts';
export { writeLauncher } from './tool-launcher.ts';
