-- What was found out about e-invoices is lost: running OCR again finds it.
alter table documents drop column has_einvoice;
drop table document_einvoices;
