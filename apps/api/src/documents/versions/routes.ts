import type { Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { compareVersions } from './compare-versions.ts';
import { joinDocument } from './join-document.ts';
import { versionDownload, versionPages, versionPreview, versions } from './read-versions.ts';
import { replaceContent } from './replace-content.ts';
import { restoreVersion } from './restore-version.ts';
import { undoSplit } from './undo-split.ts';

/** What a document had as files, and how it gets another. */
export const versionRoutes = (services: DocumentServices): readonly Route[] => [
  replaceContent(services),
  versions(services),
  joinDocument(services),
  versionDownload(services),
  versionPreview(services),
  versionPages(services),
  compareVersions(services),
  restoreVersion(services),
  undoSplit(services),
];
