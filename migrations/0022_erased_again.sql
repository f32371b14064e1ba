-- What deleted reviews left in the file is erased once more: earlier releases overwrote what they deleted, and did not rewrite
-- the file, so that copies in the unallocated parts of pages stayed.
delete from erasure;
