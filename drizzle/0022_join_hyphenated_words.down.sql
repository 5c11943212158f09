drop function sheaf_joined_words(text);
