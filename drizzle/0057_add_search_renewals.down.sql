drop table search_renewals;
