export { addEarlierVersion } from './add-earlier-version.ts';
export { editContent, type PlacedPage } from './edit-pages.ts';
export { joinVersions, moveNotes } from './join-versions.ts';
export { findByEarlierHash, findOtherByHash, getVersion, listVersionPages, listVersions, type Version } from './list-versions.ts';
export { deleteEarlierPages, replaceContent, restoreContent, trimVersions } from './replace-content.ts';
