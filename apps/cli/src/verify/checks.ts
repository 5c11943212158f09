import type { Check } from './check.ts';
import { documentTallies } from './document-tallies.ts';
import { searchEntries } from './search-entries.ts';
import { searchStatistics } from './search-statistics.ts';

/** Everything that is verified, in order. */
export const CHECKS: readonly Check[] = [searchEntries, searchStatistics, documentTallies];
