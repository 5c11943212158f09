import type { DocumentAnalyticsBody } from '@sheaf/contract/operations';
import type { DaySpan, Reach } from '@sheaf/db';
import { type DocumentFigures, type FilingFigures, readDocumentFigures, readFilingFigures } from '@sheaf/documents';
import { DOCUMENT_STATUSES, type DocumentStatus } from '@sheaf/vocabulary/documents';
import type { KeptReading } from './analytics-services.ts';
import { daysOf, spanName } from './day-span.ts';
import { keepFigures } from './kept-figures.ts';

const toBody = (figures: DocumentFigures, filing: FilingFigures, span: DaySpan): DocumentAnalyticsBody => ({
  total: figures.total,
  by_status: Object.fromEntries(DOCUMENT_STATUSES.map((status) => [status, figures.byStatus[status] ?? 0])) as Record<
    DocumentStatus,
    number
  >,
  by_mime_type: figures.byMimeType,
  by_label: figures.byLabel,
  by_source: figures.byRoute,
  by_document_year: filing.byYear,
  by_correspondent: filing.byCorrespondent,
  by_document_type: filing.byDocumentType,
  storage_bytes: figures.storageBytes,
  uploads_per_day: daysOf(span).map((date) => ({ date, count: figures.byDay[date] ?? 0 })),
});

/** What documents there are within `reach`. */
export const documentAnalytics = (services: KeptReading, reach: Reach, span: DaySpan): Promise<DocumentAnalyticsBody> =>
  keepFigures(services.cache, `documents ${spanName(span)}`, reach, async () => {
    const [figures, filing] = await Promise.all([readDocumentFigures(services.db, reach, span), readFilingFigures(services.db, reach)]);
    return toBody(figures, filing, span);
  });
