import type { EngineFailure } from './ocr-runner.ts';

export const cloudFailure = (reason: EngineFailure['reason'], message: string): EngineFailure => ({ ok: false, reason, message });
