-- All links end: the older version knows no pages for them.
drop table shares;
