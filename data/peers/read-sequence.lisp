;;; SPDX-License-Identifier: MIT
;;; read-sequence and write-sequence of octets, 64 KiB at a time.
(with-open-stream (in (sb-sys:make-fd-stream 0 :element-type '(unsigned-byte 8) :buffering :full :input t))
  (with-open-stream (out (sb-sys:make-fd-stream 1 :element-type '(unsigned-byte 8) :buffering :full :input nil :output t))
    (let ((block (make-array 65536 :element-type '(unsigned-byte 8))))
      (loop for end = (read-sequence block in)
            until (zerop end)
            do (write-sequence block out :end end)))))
