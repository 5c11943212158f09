import { hostname } from 'node:os';
import { type ComponentHealth, foundProblems, joinHealth, warning } from '@sheaf/contract/operations';
import { type Db, Listener } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { Extractor } from '@sheaf/extraction';
import { countForFacts, FactFinder } from '@sheaf/filing/facts';
import { SignatureBacklog } from '@sheaf/filing/near-duplicates';
import { type Component, type Logger, Loop, select } from '@sheaf/process';
import type { ProgramContext, ProgramParts } from '@sheaf/program';
import { applyDueRules } from '@sheaf/rules';
import { describeLayers, toolLayers } from '@sheaf/sandbox';
import { foldTermStatistics, renewEntries } from '@sheaf/search';
import { openStorage } from '@sheaf/storage';
import { CHANNELS, type Channel } from '@sheaf/vocabulary/events';
import { makeCrashRecovery } from './finish-job.ts';
import { JobSlots } from './job-slots.ts';
import { ParserMemory } from './parser-memory.ts';
import { makeMissingLanguages } from './read-document.ts';
import { JobRunner } from './run-job.ts';
import { extractionSettings, jobSettings, parserMemorySettings, slotSettings } from './settings.ts';

/** Searches read what is not folded yet row by row, so it is kept short. */
const FOLD_INTERVAL_MS = 5_000;

/** Entries of earlier versions are there after an upgrade or a restore. */
const RENEWAL_INTERVAL_MS = 10 * 60_000;

/** Whoever makes a document ready for rules says so: this is for what was missed, and for what is tried again. */
const RULES_INTERVAL_MS = 15_000;

/** Every completed job says that a document is to be compared: this is for what was missed, and for documents without a signature. */
const SIMILAR_INTERVAL_MS = 15_000;
/** Documents that are completed so soon after another are compared together. */
const SIMILAR_GATHERING_MS = 500;

/** The ocr-worker from its settings to its components. */
export const composeOcrWorker = async ({ config, settings, database, log, registry, tracer }: ProgramContext): Promise<ProgramParts> => {
  const { db } = database;
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(db) });
  const layers = toolLayers();
  log[layers.filesystem === 'none' ? 'warn' : 'info']({ sandbox: layers }, `parser sandbox: ${describeLayers(layers)}`);
  const extractor = await Extractor.open(select(settings, extractionSettings), log);
  const jobs = select(settings, jobSettings);
  const backlog = new SignatureBacklog(db, log);
  const similar = new Loop({ name: 'find-near-duplicates', intervalMs: SIMILAR_INTERVAL_MS, log, run: (signal) => backlog.run(signal) });
  const runner = new JobRunner({
    reading: {
      db,
      storage,
      extractor,
      tempPath: config.storage.tempPath,
      barcodes: { rules: config.barcodes, watched: config.watchBarcodes, roles: config.signIn.roles },
      log,
    },
    settings: jobs,
    facts: new FactFinder({ db, roles: config.signIn.roles, dateOrder: config.ocr.dateOrder }),
    onCompleted: () => similar.nudgeIn(SIMILAR_GATHERING_MS),
    tracer,
    registry,
  });
  const host = hostname();
  const worker = `${host}:${process.pid}:${Date.now()}`;
  const languages = extractor.installedLanguages();
  const onBegin = (): void => parserMemory.nudge();
  const slots = new JobSlots({ db, log, runner, host, languages, worker, settings: slotSettings(config, settings), onBegin });
  const parserMemory = new ParserMemory({ settings: parserMemorySettings(config), documents: () => slots.running(), log });
  const recovery = makeCrashRecovery({ db, log, worker, settings: jobs });
  const tools: Component = {
    name: 'ocr-engine',
    start: async () => {},
    stop: () => extractor.close(),
    health: () => foundProblems('warning', extractor.problems()),
  };
  const missing = makeMissingLanguages({ db, log, host, languages });
  const factsBacklog = makeFactsBacklog({ db, log });
  const fold = new Loop({
    name: 'fold-term-statistics',
    intervalMs: FOLD_INTERVAL_MS,
    log,
    run: async () => (await foldTermStatistics(db)) > 0,
  });
  const renewal = new Loop({
    name: 'renew-search-entries',
    intervalMs: RENEWAL_INTERVAL_MS,
    log,
    run: async () => (await renewEntries(db, log)) ?? RENEWAL_INTERVAL_MS,
  });
  const rules = new Loop({
    name: 'apply-rules',
    intervalMs: RULES_INTERVAL_MS,
    log,
    run: (signal) => applyDueRules({ db, roles: config.signIn.roles, log }, signal),
  });
  const nudged: Partial<Record<Channel, () => void>> = {
    [CHANNELS.jobs]: () => slots.nudge(),
    [CHANNELS.leases]: () => slots.checkLeases(),
    [CHANNELS.rules]: () => rules.nudge(),
  };
  const listener = new Listener({
    url: database.directUrl,
    channels: [CHANNELS.jobs, CHANNELS.leases, CHANNELS.rules],
    log,
    onNudge: (channel) => nudged[channel]?.(),
  });
  return {
    components: [tools, runner.space, missing, factsBacklog, fold, renewal, rules, similar, recovery, parserMemory, slots, listener],
    facts: () => ({ languages, cores: config.resources.cores, sandbox: layers }),
  };
};

/** While there are some: whoever finds their facts sees how far it is. */
const COUNTED_MS = 30_000;
/** All documents are read to count them, twice: 0.2 s for a million each time. */
const INTERVAL_MS = 10 * 60_000;
const HEALTHY: ComponentHealth = { status: 'healthy' };

/**
 * Tells in the health of this worker how many completed documents were never searched for facts, as an earlier version processed them or they
 * were imported with their text, and how many have facts of an earlier version, with the command that does it. Facts fill in fields of documents,
 * so that is not begun by itself.
 */
export const makeFactsBacklog = ({ db, log }: { readonly db: Db; readonly log: Logger }): Component => {
  let backlog: ComponentHealth = HEALTHY;
  const loop = new Loop({
    name: 'facts-backlog',
    intervalMs: INTERVAL_MS,
    log,
    run: async () => {
      const now = new Date();
      const [missing, outdated] = [await countForFacts(db, 'missing', now), await countForFacts(db, 'outdated', now)];
      backlog = joinHealth(
        missing === 0 ? HEALTHY : warning('documents_without_facts', { documents: missing }),
        outdated === 0 ? HEALTHY : warning('documents_with_earlier_facts', { documents: outdated }),
      );
      return missing + outdated > 0 ? COUNTED_MS : INTERVAL_MS;
    },
  });
  return {
    name: 'facts',
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => (backlog.status === 'healthy' ? loop.health() : backlog),
  };
};
