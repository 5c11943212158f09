export { addEarlierVersion } from './add-earlier-version.ts';
export { describePages, editContent, type PlacedPage, placePages } from './edit-content.ts';
export { joinVersions, moveNotes } from './join-versions.ts';
export { findByEarlierHash, findOtherByHash, getVersion, listVersionPages, listVersions, type Version } from './list-versions.ts';
export { deleteEarlierPages, replaceContent, restoreContent, trimVersions } from './replace-content.ts';
