import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const DEPLOY = join(import.meta.dirname, '../../deploy');

const dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  templating: z.looseObject({ list: z.array(z.looseObject({ name: z.string() })) }),
  panels: z.array(
    z.looseObject({
      id: z.int(),
      title: z.string(),
      type: z.string(),
      gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
});

const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const scrape = z.looseObject({
  rule_files: z.array(z.string()),
  scrape_configs: z.array(
    z.looseObject({
      job_name: z.string(),
      honor_labels: z.boolean(),
      metrics_path: z.string(),
      static_configs: z.array(z.strictObject({ targets: z.array(z.string()) })),
    }),
  ),
});

export const readDashboard = () => dashboard.parse(JSON.parse(readFileSync(join(DEPLOY, 'grafana/sheaf.json'), 'utf8')));
export const readRules = () => rules.parse(parse(readFileSync(join(DEPLOY, 'prometheus/sheaf.rules.yml'), 'utf8')));
export const readScrape = () => scrape.parse(parse(readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8')));

/** Every question that the dashboard and the alert rules ask. */
export const watchedQueries = (): string[] => [
  ...readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...readRules().groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
];

/** Names of the families a query reads: the parts of a histogram are the family's. */
export const metricsOf = (query: string): string[] =>
  [...query.matchAll(/\b(?:sheaf|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

/** Names of the labels a query groups by or selects by. */
export const labelsOf = (query: string): string[] => [
  ...[...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim())),
  ...[...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, selectors = '']) =>
    [...selectors.matchAll(/(\w+)\s*(?:=~|!=|=)/g)].map(([, name = '']) => name),
  ),
];
